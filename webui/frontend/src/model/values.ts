/** Reads recorded values element by element. A sample is never shown as the whole value. */
import type { Value } from "../protocol";
import { english } from "../language/text";

/** The text shown in place of a missing value. */
export const NOT_TAKEN = english("no value was recorded in this step");

export interface Grid {
  rows: number;
  cols: number;
  data: Float32Array;
}

const decoded = new WeakMap<Value, Grid | null>();

/** The recorded elements, or null if there are only statistics. Decoded once for each value. */
export function grid(value: Value | null | undefined): Grid | null {
  if (!value) return null;
  const cached = decoded.get(value);
  if (cached !== undefined) return cached;
  const result = decode(value);
  decoded.set(value, result);
  return result;
}

function decode(value: Value): Grid | null {
  const { data, rows = 0, cols = 0 } = value;
  if (!data || rows * cols === 0) return null;
  const text = atob(data);
  if (text.length < rows * cols * 4) return null;
  const view = new DataView(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; i++) view.setUint8(i, text.charCodeAt(i));
  const floats = new Float32Array(rows * cols);
  for (let i = 0; i < floats.length; i++) floats[i] = view.getFloat32(i * 4, true);
  return { rows, cols, data: floats };
}

/** A histogram has this many bins, and is made of at least this many elements. */
const [BINS, FEWEST] = [16, 9];

const counted = new WeakMap<Value, number[] | null>();

/** How many of the recorded, finite elements lie in each of 16 equal bins; null for a few. Counted once a value. */
export function histogram(value: Value): number[] | null {
  const cached = counted.get(value);
  if (cached !== undefined) return cached;
  const finite = grid(value)?.data.filter(Number.isFinite);
  const result = finite && finite.length >= FEWEST ? inBins(finite) : null;
  counted.set(value, result);
  return result;
}

function inBins(elements: Float32Array): number[] {
  const low = elements.reduce((a, b) => Math.min(a, b));
  const width = elements.reduce((a, b) => Math.max(a, b)) - low;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const x of elements) counts[width > 0 ? Math.min(BINS - 1, Math.floor(((x - low) / width) * BINS)) : 0]! += 1;
  return counts;
}

/** Encodes elements as in a record; for fixtures and tests. */
export function encode(floats: Float32Array): string {
  const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The one number of a one-element value, or null. */
export function scalar(value: Value | null | undefined): number | null {
  const g = grid(value);
  return g && g.data.length === 1 && value?.kind === "full" ? (g.data[0] ?? null) : null;
}

export interface Element {
  row: number;
  col: number;
}

/** The element at a place, or null outside, or if the value is only a sample. */
export function elementAt(value: Value | null | undefined, at: Element): number | null {
  const g = grid(value);
  if (!g || value?.kind !== "full") return null;
  if (at.row < 0 || at.col < 0 || at.row >= g.rows || at.col >= g.cols) return null;
  return g.data[at.row * g.cols + at.col] ?? null;
}

/** The element of a smaller value that broadcasting aligns with `at`: axes of length one repeat. */
export function broadcastAt(value: Value | null | undefined, at: Element): number | null {
  const g = grid(value);
  if (!g) return null;
  return elementAt(value, { row: g.rows === 1 ? 0 : at.row, col: g.cols === 1 ? 0 : at.col });
}

/** The largest finite magnitude, which gets full colour. Zero for no elements. */
export function reach(value: Value | null | undefined): number {
  const g = grid(value);
  if (!g) return Math.max(Math.abs(value?.min ?? 0), Math.abs(value?.max ?? 0));
  let largest = 0;
  for (const x of g.data) {
    const size = Math.abs(x);
    if (size > largest && size < Infinity) largest = size;
  }
  return largest;
}

/** The norm: as recorded, else computed from the complete data; null with a NaN. */
export function norm(value: Value | null | undefined): number | null {
  if (!value) return null;
  if ((value.nan ?? 0) > 0) return NaN;
  if (value.norm != null) return value.norm;
  const g = grid(value);
  if (!g || value.kind !== "full") return null;
  return Math.sqrt(g.data.reduce((sum, x) => sum + x * x, 0));
}

/** The first element that is NaN, else the first infinite one; null where all are finite. */
export function brokenAt(value: Value | null | undefined): Element | null {
  const g = grid(value);
  if (!g) return null;
  const nan = g.data.findIndex(Number.isNaN);
  const at = nan >= 0 ? nan : g.data.findIndex((x) => !Number.isFinite(x));
  return at < 0 ? null : { row: Math.floor(at / g.cols), col: at % g.cols };
}

/** Whether a value has a NaN or an infinity. */
export const broken = (value: Value | null | undefined): boolean => (value?.nan ?? 0) > 0 || (value?.inf ?? 0) > 0;

/** Whether all infinite elements are −∞, as in a mask, which a softmax turns into zeros. */
export function masked(value: Value | null | undefined): boolean {
  if (!value || (value.nan ?? 0) > 0 || (value.inf ?? 0) === 0) return false;
  const infinite = grid(value)?.data.filter((x) => !Number.isFinite(x)) ?? [];
  return infinite.length > 0 && infinite.every((x) => x === -Infinity);
}

/** Whether two values are equal, as far as their elements were recorded. */
export function sameValue(a: Value | null, b: Value | null): boolean {
  if (!a || !b) return false;
  if (a.data != null || b.data != null) return a.data === b.data;
  return a.norm === b.norm && a.min === b.min && a.max === b.max;
}
