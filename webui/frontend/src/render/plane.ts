/**
 * Paints a plane: the recorded sample as background, and above it the tiles that have arrived, each as a small picture.
 */
import { high, type Numbers, type Plane, type Size, wide, type Window } from "../model/plane";
import { grid } from "../model/values";
import type { Value } from "../protocol";
import { errorRgb, heat, type Palette } from "../theme/colour";

interface Painted {
  palette: Palette;
  full: number;
  canvas: OffscreenCanvas;
}

const painted = new WeakMap<object, Painted>();
const NOTHING: ReadonlySet<number> = new Set();

interface Numeric {
  rows: number;
  cols: number;
  data: Float32Array | Float64Array;
}

/** A picture with one pixel for each element. NaN and infinities, own or hidden, have the colour of errors. */
function picture(of: Numeric, broken: ReadonlySet<number>, full: number, palette: Palette): OffscreenCanvas {
  const known = painted.get(of);
  if (known?.palette === palette && known.full === full) return known.canvas;
  const canvas = new OffscreenCanvas(of.cols, of.rows);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(of.cols, of.rows);
  of.data.forEach((x, i) => {
    const good = Number.isFinite(x) && !broken.has(i);
    const [r, g, b] = good ? heat(x, full, palette) : errorRgb(palette);
    image.data.set([r, g, b, 255], i * 4);
  });
  context.putImageData(image, 0, 0);
  painted.set(of, { palette, full, canvas });
  return canvas;
}

export interface Drawn {
  plane: Plane;
  window: Window;
  size: Size;
  /** The recorded sample of the whole array, and the index of this plane. */
  sample: Value | null;
  panel: number;
  /** Coarse tiles first, since finer ones are drawn above them. */
  tiles: readonly Numbers[];
  full: number;
  palette: Palette;
  /** A ring around an element. */
  ring: { row: number; col: number; every: number } | null;
}

export function drawPlane(canvas: HTMLCanvasElement, drawn: Drawn): void {
  const { plane, window, size, full, palette } = drawn;
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(size.width * ratio));
  canvas.height = Math.max(1, Math.round(size.height * ratio));
  const context = canvas.getContext("2d")!;
  const [sx, sy] = [wide(plane, window.scale), high(plane, window.scale)];
  context.setTransform(sx * ratio, 0, 0, sy * ratio, -window.x * sx * ratio, -window.y * sy * ratio);
  context.imageSmoothingEnabled = false;
  context.beginPath();
  context.rect(0, 0, plane.cols, plane.rows);
  context.clip();
  const ground = grid(drawn.sample);
  if (ground) {
    const all = plane.leading.reduce((a, b) => a * b, 1) * plane.rows;
    context.drawImage(picture(ground, NOTHING, full, palette), 0, -drawn.panel * plane.rows, plane.cols, all);
  }
  for (const tile of drawn.tiles) {
    const [w, h] = [tile.cols * tile.every, tile.rows * tile.every];
    context.drawImage(picture(tile, tile.broken, full, palette), tile.col, tile.row, w, h);
  }
  if (!drawn.ring) return;
  const { row, col, every } = drawn.ring;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.strokeRect((col - window.x) * sx - 1, (row - window.y) * sy - 1, every * sx + 2, every * sy + 2);
}
