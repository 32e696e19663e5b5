/** The last two axes of a large array as a plane with a window onto it, and the tiles in the window. */
import type { Tile } from "../protocol";
import { SIDE, type Spot } from "../protocol/tiles";

export { SIDE, type Spot };

export interface Plane {
  rows: number;
  cols: number;
  /** Lengths of the axes before the last two. */
  leading: readonly number[];
}

export interface Size {
  width: number;
  height: number;
}

/** The element in the upper left corner, and pixels for each element. */
export interface Window {
  x: number;
  y: number;
  scale: number;
}

/** The least pixels for each drawn element. */
const CELL = 3;
const LARGEST = 40;
/** A few rows, or a few columns, are together drawn this thick. */
const THICK = 48;
const THICKEST = 24;

/** A vector is one row. */
export function planeOf(shape: readonly number[]): Plane {
  return { rows: shape.at(-2) ?? 1, cols: shape.at(-1) ?? 1, leading: shape.slice(0, -2) };
}

const thick = (scale: number, count: number): number => Math.max(scale, Math.min(THICKEST, THICK / count));
export const wide = (plane: Plane, scale: number): number => thick(scale, plane.cols);
export const high = (plane: Plane, scale: number): number => thick(scale, plane.rows);

/** The window that shows the whole plane, and its size. */
export function whole(plane: Plane, room: Size): { window: Window; size: Size } {
  const scale = Math.min(LARGEST, room.width / plane.cols, room.height / plane.rows);
  const width = Math.min(room.width, Math.ceil(plane.cols * wide(plane, scale)));
  const height = Math.min(room.height, Math.ceil(plane.rows * high(plane, scale)));
  return { window: { x: 0, y: 0, scale }, size: { width, height } };
}

/** Keeps the window inside the plane. */
export function held(window: Window, plane: Plane, size: Size): Window {
  const { scale } = window;
  const [most, least] = [plane.cols - size.width / wide(plane, scale), plane.rows - size.height / high(plane, scale)];
  return { x: Math.max(0, Math.min(window.x, most)), y: Math.max(0, Math.min(window.y, least)), scale };
}

/** Zooms in by `factor` with the element under the pointer fixed. Never smaller than `whole`. */
export function nearer(window: Window, plane: Plane, room: Size, factor: number, at: { x: number; y: number }): Window {
  const all = whole(plane, room);
  const scale = Math.max(all.window.scale, Math.min(LARGEST, window.scale * factor));
  const keep = (from: number, pixel: number, before: number, after: number): number =>
    from + pixel / before - pixel / after;
  const x = keep(window.x, at.x, wide(plane, window.scale), wide(plane, scale));
  const y = keep(window.y, at.y, high(plane, window.scale), high(plane, scale));
  return held({ x, y, scale }, plane, all.size);
}

/** How many elements a drawn one stands for, in each direction: as few as leave it visible. */
export function everyOf(scale: number): number {
  let every = 1;
  while (scale * every < CELL) every *= 2;
  return every;
}

/** The tiles that the window touches, from the middle outward. */
export function inSight(window: Window, plane: Plane, size: Size): Spot[] {
  const every = everyOf(window.scale);
  const span = SIDE * every;
  const range = (from: number, length: number, count: number): number[] => {
    const first = Math.floor(from / span);
    const last = Math.floor(Math.min(count - 1, from + length) / span);
    return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * span);
  };
  const rows = range(window.y, size.height / high(plane, window.scale), plane.rows);
  const cols = range(window.x, size.width / wide(plane, window.scale), plane.cols);
  const middle = [(rows[0]! + rows.at(-1)!) / 2, (cols[0]! + cols.at(-1)!) / 2] as const;
  const far = (s: Spot): number => Math.hypot(s.row - middle[0], s.col - middle[1]);
  return rows.flatMap((row) => cols.map((col) => ({ row, col, every }))).sort((a, b) => far(a) - far(b));
}

/** The tile at this resolution that contains an element. */
export function spotOf(row: number, col: number, every: number): Spot {
  const span = SIDE * every;
  return { row: Math.floor(row / span) * span, col: Math.floor(col / span) * span, every };
}

export const keyOf = (spot: Spot): string => `${spot.every} ${spot.row} ${spot.col}`;

/** The numbers of a tile. */
export interface Numbers extends Spot {
  rows: number;
  cols: number;
  wide: boolean;
  data: Float32Array | Float64Array;
  /** The indices of drawn elements that stand for a hidden NaN or infinity. */
  broken: ReadonlySet<number>;
}

export function numbersOf(tile: Tile): Numbers {
  const { row = 0, col = 0, rows = 0, cols = 0, every = 1, wide = false, data = "" } = tile;
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  if (bytes.length !== rows * cols * (wide ? 8 : 4)) throw new Error("The tile is not as long as it says.");
  const numbers = wide ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  return { row, col, rows, cols, every, wide, data: numbers, broken: new Set(tile.broken ?? []) };
}

/** A tile's value for an element: its own, or at lower resolution that of the element that stands for it. */
export interface Reading {
  row: number;
  col: number;
  every: number;
  value: number;
  text: string;
  broken: boolean;
}

export function readingIn(tile: Numbers, row: number, col: number): Reading | null {
  const [i, j] = [Math.floor((row - tile.row) / tile.every), Math.floor((col - tile.col) / tile.every)];
  if (i < 0 || j < 0 || i >= tile.rows || j >= tile.cols) return null;
  const at = i * tile.cols + j;
  const value = tile.data[at]!;
  return {
    row: tile.row + i * tile.every,
    col: tile.col + j * tile.every,
    every: tile.every,
    value,
    text: exactly(value, tile.wide),
    broken: tile.broken.has(at),
  };
}

/** The shortest text that identifies this float32 or float64. */
export function exactly(x: number, wide: boolean): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  let text = String(x);
  for (let digits = 6; !wide && digits < 10; digits++) {
    text = String(Number(x.toPrecision(digits)));
    if (Math.fround(Number(text)) === x) break;
  }
  return text.replaceAll("-", "−").replace("e+", "e");
}

/** A cache of limited size that drops the least recently used item. */
export class Shelf<T> {
  private readonly kept = new Map<string, T>();
  constructor(private readonly most: number) {}

  get size(): number {
    return this.kept.size;
  }

  get(key: string): T | undefined {
    const found = this.kept.get(key);
    if (found === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, found);
    return found;
  }

  put(key: string, one: T): void {
    this.kept.delete(key);
    this.kept.set(key, one);
    for (const old of this.kept.keys()) {
      if (this.kept.size <= this.most) return;
      this.kept.delete(old);
    }
  }

  clear(): void {
    this.kept.clear();
  }
}
