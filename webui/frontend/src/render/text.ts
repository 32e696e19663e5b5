/** Text on a canvas: measured once, cut with an ellipsis where it does not fit. */
import { MONO, SANS } from "../theme/scale";

const widths = new Map<string, number>();

export const FONT = {
  title: `600 12.5px ${SANS}`,
  mono: `400 11px ${MONO}`,
  name: `600 12px ${MONO}`,
  small: `400 10.5px ${SANS}`,
  tiny: `500 10px ${MONO}`,
  number: `600 13.5px ${MONO}`,
  frame: `600 12px ${SANS}`,
} as const;

export type FontName = keyof typeof FONT;

export function widthOf(context: CanvasRenderingContext2D, text: string, font: FontName): number {
  const key = `${font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    context.font = FONT[font];
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** Measures are wrong until the fonts have come. */
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
}

/** Writes on a baseline and returns the width that was used. */
export function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, how: Write): number {
  const shown = how.room === undefined ? text : cut(context, text, how.font, how.room);
  if (shown === "") return 0;
  context.font = FONT[how.font];
  context.fillStyle = how.colour;
  context.textAlign = how.align ?? "left";
  context.fillText(shown, x, y);
  return widthOf(context, shown, how.font);
}
