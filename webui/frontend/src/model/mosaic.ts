/** Pictures of more than two axes: the last two form a panel, and panels are side by side with gaps. */
import type { Element } from "./values";

export interface Mosaic {
  /** Size in elements, gaps included. */
  rows: number;
  cols: number;
  place(element: Element): { x: number; y: number };
  /** The element at a place, or null in a gap. */
  at(x: number, y: number): Element | null;
}

const GAP = 1;
/** The approximate ratio of width to height. */
const WIDE = 1.6;

export function mosaic(shape: readonly number[], rows: number, cols: number): Mosaic {
  const height = shape.length >= 3 && shape.at(-1) === cols ? (shape.at(-2) ?? rows) : rows;
  const panels = Math.max(1, Math.round(rows / Math.max(1, height)));
  const across =
    panels === 1 ? 1 : Math.min(panels, Math.max(1, Math.round(Math.sqrt((panels * height * WIDE) / cols))));
  const down = Math.ceil(panels / across);
  return {
    rows: down * (height + GAP) - GAP,
    cols: across * (cols + GAP) - GAP,
    place({ row, col }) {
      const panel = Math.floor(row / height);
      return {
        x: (panel % across) * (cols + GAP) + col,
        y: Math.floor(panel / across) * (height + GAP) + (row % height),
      };
    },
    at(x, y) {
      const [column, line] = [Math.floor(x / (cols + GAP)), Math.floor(y / (height + GAP))];
      const [col, inner] = [x - column * (cols + GAP), y - line * (height + GAP)];
      const row = (line * across + column) * height + inner;
      return col < cols && inner < height && column < across && row < rows ? { row, col } : null;
    },
  };
}
