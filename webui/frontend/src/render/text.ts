/** Text on a canvas: measured once, cut with an ellipsis if it does not fit. */
import { MONO, SANS } from "../theme/scale";

const widths = new Map<string, number>();

/** Weight, size in the world's units, family. */
const FACES = {
  title: [600, 12.5, SANS],
  mono: [400, 11.5, MONO],
  name: [600, 12, MONO],
  small: [400, 11, SANS],
  tiny: [500, 11, MONO],
  number: [600, 13.5, MONO],
  frame: [600, 12, SANS],
} as const;

export type FontName = keyof typeof FACES;

function fontOf(font: FontName, scale: number): string {
  const [weight, size, family] = FACES[font];
  return `${weight} ${size * scale}px ${family}`;
}

/** The factor by which text is enlarged to be readable at this zoom, at most `most`. */
export const readableScale = (zoom: number, most: number): number => Math.min(most, Math.max(1, READABLE / zoom));

/** From this zoom on, text has its own size. */
const READABLE = 1;

export function widthOf(context: CanvasRenderingContext2D, text: string, font: FontName): number {
  const key = `${font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    context.font = fontOf(font, 1);
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** Forgets measured widths, which are wrong until the fonts are loaded. */
export const forgetWidths = (): void => widths.clear();

export function cut(context: CanvasRenderingContext2D, text: string, font: FontName, room: number): string {
  if (widthOf(context, text, font) <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(context, `${text.slice(0, middle)}…`, font) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low)}…`;
}

export interface Write {
  font: FontName;
  colour: string;
  align?: CanvasTextAlign;
  room?: number;
  /** A factor of the font's own size. */
  scale?: number;
}

/** Writes on a baseline and returns the width that was used. */
export function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, how: Write): number {
  const scale = how.scale ?? 1;
  const shown = how.room === undefined ? text : cut(context, text, how.font, how.room / scale);
  if (shown === "") return 0;
  context.font = fontOf(how.font, scale);
  context.fillStyle = how.colour;
  context.textAlign = how.align ?? "left";
  context.fillText(shown, x, y);
  return widthOf(context, shown, how.font) * scale;
}
