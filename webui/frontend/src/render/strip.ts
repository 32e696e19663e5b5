/**
 * The events of a step as a strip of ticks, with the memory that was held above them.
 *
 * All of it is painted twice, once as past and once as to come; a move in time then costs two copies and the needle,
 * however many events there are.
 */
import { kindOf } from "../model/events";
import type { History } from "../model/history";
import { type Bytes, KINDS, type MemoryKind } from "../model/memory";
import { KIND_COLOUR, type Palette } from "../theme/colour";

export const MEMORY_COLOUR = { parameters: "value", gradients: "gradient", saved: "saved" } as const;
export const STRIP = { height: 74, edge: 8 } as const;
const TICKS = 46;

/** What decides the two paintings. */
export interface Face {
  history: History;
  /** Grows with the history. */
  revision: number;
  width: number;
  palette: Palette;
  ratio: number;
}

/** Pixels from one event to the next. */
export const gapOf = (width: number, length: number): number => (width - 2 * STRIP.edge) / Math.max(1, length);

export class Strip {
  private face: Face | null = null;
  private past: HTMLCanvasElement | null = null;
  private future: HTMLCanvasElement | null = null;

  /** `position` events are over. */
  draw(canvas: HTMLCanvasElement, face: Face, position: number): void {
    if (!this.face || !same(this.face, face)) {
      this.face = face;
      this.past = this.future = null;
    }
    const { width, ratio, history } = face;
    const gap = gapOf(width, history.length);
    const at = STRIP.edge + position * gap - (position > 0 ? gap / 2 : 0);
    const edge = Math.round((STRIP.edge + position * gap) * ratio);
    canvas.width = width * ratio;
    canvas.height = STRIP.height * ratio;
    const context = canvas.getContext("2d")!;
    const copy = (from: HTMLCanvasElement, x: number, w: number): void => {
      if (w > 0) context.drawImage(from, x, 0, w, canvas.height, x, 0, w, canvas.height);
    };
    copy((this.past ??= painted(face, true)), 0, position >= history.length ? canvas.width : edge);
    if (position < history.length) copy((this.future ??= painted(face, false)), edge, canvas.width - edge);
    context.scale(ratio, ratio);
    needle(context, at, face.palette);
  }
}

const same = (a: Face, b: Face): boolean =>
  a.history === b.history &&
  a.revision === b.revision &&
  a.width === b.width &&
  a.palette === b.palette &&
  a.ratio === b.ratio;

function painted(face: Face, past: boolean): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, face.width * face.ratio);
  canvas.height = STRIP.height * face.ratio;
  const context = canvas.getContext("2d")!;
  context.scale(face.ratio, face.ratio);
  drawBytes(context, face);
  drawTicks(context, face, past);
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

/** One kind upon the other, parameters at the ground; a long run by the pixel. */
function drawBytes(context: CanvasRenderingContext2D, { history, width, palette }: Face): void {
  const most = history.memoryPeak;
  if (most === 0) return;
  const gap = gapOf(width, history.length);
  const base = TICKS - 9;
  const every = Math.max(1, Math.floor(history.memory.length / (2 * width)));
  KINDS.toReversed().forEach((kind, above) => {
    context.beginPath();
    context.moveTo(STRIP.edge, base);
    for (let i = 0; i < history.memory.length; i += every) {
      const y = base - (sum(history.memory[i]!, KINDS.length - above) / most) * 24;
      context.lineTo(STRIP.edge + i * gap, y);
      context.lineTo(STRIP.edge + (i + every) * gap, y);
    }
    context.lineTo(STRIP.edge + history.memory.length * gap, base);
    context.fillStyle = mixed(palette, kind);
    context.fill();
  });
}

const sum = (bytes: Bytes, kinds: number): number => bytes.slice(0, kinds).reduce((a, b) => a + b, 0);

/** Each kind's colour, let down with the ground so that none shines through another. */
const mixed = (palette: Palette, kind: MemoryKind): string =>
  `color-mix(in srgb, ${palette[MEMORY_COLOUR[kind]]} 38%, ${palette.card})`;
