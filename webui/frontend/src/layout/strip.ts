/** The card of a stack lists its instances: a few as rows, many as cells in reading order. */
import { CARD, STRIP } from "../theme/scale";
import type { Rect } from "./geometry";

/** With more instances, one cell stands for several. */
const MOST_CELLS = 100;

export const cellCount = (instances: number): number => Math.min(instances, MOST_CELLS);

/** The instances of a cell: from the first up to but not including the last. */
export function instancesOf(cell: number, instances: number): [number, number] {
  const cells = cellCount(instances);
  return [Math.floor((cell * instances) / cells), Math.floor(((cell + 1) * instances) / cells)];
}

/** The most characters of a cell's name. */
const ROOM = 5;

/** The name of a cell that stands for several instances: of the first and the last, or of the first if both have no room. */
export function rangeName(first: string, last: string): string {
  const both = `${first}–${last}`;
  return both.length > ROOM ? `${first}–` : both;
}

/** The cell that an instance is in. */
export const cellOf = (instance: number, instances: number): number =>
  Math.ceil(((instance + 1) * cellCount(instances)) / instances) - 1;

const isList = (cells: number): boolean => cells <= STRIP.list;

export function stripSize(instances: number): { w: number; h: number } {
  const cells = cellCount(instances);
  if (isList(cells)) return { w: CARD.width, h: STRIP.head + cells * STRIP.row + STRIP.pad };
  const rows = Math.ceil(cells / STRIP.across);
  return { w: STRIP.across * STRIP.cell.w + 2 * STRIP.pad, h: STRIP.head + rows * STRIP.cell.h + STRIP.pad };
}

/** The place of each cell on a card. */
export function cellsOf(card: Rect, instances: number): Rect[] {
  const cells = cellCount(instances);
  return Array.from({ length: cells }, (_, i) => {
    const top = card.y + STRIP.head;
    if (isList(cells)) return { x: card.x + 6, y: top + i * STRIP.row, w: card.w - 12, h: STRIP.row - 2 };
    const [column, row] = [i % STRIP.across, Math.floor(i / STRIP.across)];
    const { w, h } = STRIP.cell;
    return { x: card.x + STRIP.pad + column * w, y: top + row * h, w: w - 4, h: h - 4 };
  });
}
