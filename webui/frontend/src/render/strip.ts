/**
 * The events of a step as a strip of ticks, with the memory in use above them. The memory is painted once, and the
 * ticks twice, as past and as future; a change of position then takes only two copies and the needle, however many
 * events there are.
 */
import { kindOf } from "../model/events";
import type { History } from "../model/history";
import { type Bytes, KINDS, NOTHING } from "../model/memory";
import { KIND_COLOUR, MEMORY_COLOUR, type Palette } from "../theme/colour";

export const STRIP = { height: 84, edge: 8 } as const;
const TICKS = 56;
/** Pixels for the memory, and at most for the constant part, which may be a thousand times the changing one. */
const BYTES = { height: 34, ground: 11 } as const;

/** What decides the two paintings. */
export interface Face {
  history: History;
  /** A new object whenever the history has grown. */
  written: object;
  width: number;
  palette: Palette;
  ratio: number;
}

/** Pixels from one event to the next. */
export const gapOf = (width: number, length: number): number => (width - 2 * STRIP.edge) / Math.max(1, length);

export class Strip {
  private face: Face | null = null;
  private memory: HTMLCanvasElement | null = null;
  private past: HTMLCanvasElement | null = null;
  private future: HTMLCanvasElement | null = null;

  /** Events up to `position` are past. */
  draw(canvas: HTMLCanvasElement, face: Face, position: number): void {
    if (!this.face || !same(this.face, face)) {
      this.face = face;
      this.memory = this.past = this.future = null;
    }
    const { width, ratio, history } = face;
    const gap = gapOf(width, history.length);
    const at = STRIP.edge + position * gap - (position > 0 ? gap / 2 : 0);
    const edge = Math.round((STRIP.edge + position * gap) * ratio);
    canvas.width = width * ratio;
    canvas.height = STRIP.height * ratio;
    if (history.length === 0) return;
    const context = canvas.getContext("2d")!;
    const copy = (from: HTMLCanvasElement, x: number, w: number): void => {
      if (w > 0) context.drawImage(from, x, 0, w, canvas.height, x, 0, w, canvas.height);
    };
    copy((this.past ??= this.painted(face, true)), 0, position >= history.length ? canvas.width : edge);
    if (position < history.length) copy((this.future ??= this.painted(face, false)), edge, canvas.width - edge);
    context.scale(ratio, ratio);
    needle(context, at, face.palette);
  }

  private painted(face: Face, past: boolean): HTMLCanvasElement {
    const memory = (this.memory ??= onCanvas(face, (context) => drawBytes(context, face)));
    return onCanvas(face, (context) => {
      context.drawImage(memory, 0, 0, face.width, STRIP.height);
      drawTicks(context, face, past);
    });
  }
}

const same = (a: Face, b: Face): boolean =>
  a.written === b.written && a.width === b.width && a.palette === b.palette && a.ratio === b.ratio;

function onCanvas({ width, ratio }: Face, paint: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, width * ratio);
  canvas.height = STRIP.height * ratio;
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  paint(context);
  return canvas;
}

function drawTicks(context: CanvasRenderingContext2D, { history, width, palette }: Face, past: boolean): void {
  const gap = gapOf(width, history.length);
  const bar = Math.max(1, Math.min(11, gap - Math.min(6, gap * 0.35)));
  const every = Math.max(1, Math.floor(0.5 / gap)); // of a giant, what differs on the screen
  for (let p = 1; p <= history.length; p++) {
    const kind = kindOf(history.event(p)!);
    const tall = kind === "leaf" || kind === "error";
    if (p % every > 0 && !tall) continue;
    context.globalAlpha = past ? (kind === "released" ? 0.7 : 1) : 0.26;
    context.fillStyle = palette[KIND_COLOUR[kind]];
    const x = STRIP.edge + (p - 0.5) * gap - bar / 2;
    const [y, h] = tall ? [TICKS - 4, 18] : [TICKS, 13];
    if (bar > 3) {
      context.beginPath();
      context.roundRect(x, y, bar, h, Math.min(3, bar / 3));
      context.fill();
    } else context.fillRect(x, y, bar, h);
  }
  context.globalAlpha = 1;
}

function needle(context: CanvasRenderingContext2D, at: number, palette: Palette): void {
  context.strokeStyle = context.fillStyle = palette.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(at, TICKS - 14);
  context.lineTo(at, STRIP.height - 6);
  context.stroke();
  context.beginPath();
  context.arc(at, STRIP.height - 5, 4, 0, 7);
  context.fill();
}

/** Draws the constant memory at the bottom, on a scale of its own if needed, and the changing memory above it. */
function drawBytes(context: CanvasRenderingContext2D, face: Face): void {
  const { history, palette } = face;
  const { peak, least } = history.meter;
  if (peak === 0 || least === null) return;
  const ground = sum(least, KINDS.length);
  const natural = (ground / peak) * BYTES.height;
  const low = Math.min(natural, BYTES.ground);
  const base = TICKS - 9;
  const floor = (kinds: number): number => base - (ground ? (sum(least, kinds) / ground) * low : 0);
  const scale = peak > ground ? (BYTES.height - low) / (peak - ground) : 0;
  const above = (bytes: Bytes, kinds: number): number =>
    bytes === NOTHING ? base : base - low - (sum(bytes, kinds) - sum(least, kinds)) * scale;
  for (let kinds = KINDS.length; kinds > 0; kinds--) {
    const colour = MEMORY_COLOUR[KINDS[kinds - 1]!](palette);
    area(context, face, base - low, (bytes) => above(bytes, kinds), colour);
  }
  for (let kinds = KINDS.length; kinds > 0; kinds--) {
    const colour = MEMORY_COLOUR[KINDS[kinds - 1]!](palette);
    area(context, face, base, (bytes) => (bytes === NOTHING ? base : floor(kinds)), colour);
  }
  if (natural > low) area(context, face, base - low + 1, () => base - low, palette.card); // another scale from here
}

/** Draws a long step by pixel, each with the largest value in it. */
function area(
  context: CanvasRenderingContext2D,
  { history, width }: Face,
  base: number,
  top: (bytes: Bytes) => number,
  colour: string,
): void {
  const { memory } = history;
  const gap = gapOf(width, history.length);
  const every = Math.max(1, Math.floor(memory.length / (2 * width)));
  context.beginPath();
  context.moveTo(STRIP.edge, base);
  for (let i = 0; i < memory.length; i += every) {
    let y = top(memory[i]!);
    for (let j = i + 1; j < Math.min(i + every, memory.length); j++) y = Math.min(y, top(memory[j]!));
    context.lineTo(STRIP.edge + i * gap, y);
    context.lineTo(STRIP.edge + Math.min(i + every, memory.length) * gap, y);
  }
  context.lineTo(STRIP.edge + memory.length * gap, base);
  context.fillStyle = colour;
  context.fill();
}

function sum(bytes: Bytes, kinds: number): number {
  let all = 0;
  for (let kind = 0; kind < kinds; kind++) all += bytes[kind]!;
  return all;
}
