/** Scales and lines for curves over the steps of a run; no line has more points than pixels. */
import { raised } from "./format";

export interface Point {
  x: number;
  y: number;
}

/** Maps steps from `first` to `last` to pixels. */
export const stepScale =
  (first: number, last: number, room: number, pad = 4) =>
  (step: number): number =>
    pad + ((step - first) / Math.max(1, last - first)) * (room - 2 * pad);

/** The path of a line, with at most two points per column of pixels: the highest and the lowest. Null interrupts it. */
export function pathOf(points: Iterable<Point | null>): string {
  const parts: Point[][] = [];
  let part: Column[] = [];
  for (const point of points) {
    if (point === null) {
      parts.push(part.flatMap(pairOf));
      part = [];
    } else gather(part, point);
  }
  parts.push(part.flatMap(pairOf));
  return parts.map(written).join("");
}

/** The highest and lowest points of a column, in the order in which they came. */
type Column = { high: Point; low: Point };

function gather(columns: Column[], point: Point): void {
  const last = columns.at(-1);
  if (!last || Math.round(last.low.x) !== Math.round(point.x)) columns.push({ high: point, low: point });
  else if (point.y < last.high.y) last.high = point;
  else if (point.y > last.low.y) last.low = point;
}

const pairOf = ({ high, low }: Column): Point[] => (high === low ? [low] : high.x <= low.x ? [high, low] : [low, high]);

/** The path of a part of a line. A single point is drawn too: round ends make it a dot. */
function written(part: readonly Point[]): string {
  const [first, ...rest] = part.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
  if (first === undefined) return "";
  return `M${first}${rest.length > 0 ? `L${rest.join(" ")}` : "h0"}`;
}

/** One of the steps in each column of pixels; more would overlap. */
export const onePerPixel = (steps: readonly number[], x: (step: number) => number): number[] => [
  ...new Map(steps.map((step) => [Math.round(x(step)), step])).values(),
];

/** The range of an axis in powers of ten, from below the smallest to above the largest value; at least two. */
export interface Decades {
  low: number;
  high: number;
}

export function decadesOf(numbers: Iterable<number>): Decades | null {
  let [least, most] = [Infinity, 0];
  for (const x of numbers) {
    if (!(x > 0) || x === Infinity) continue;
    least = Math.min(least, x);
    most = Math.max(most, x);
  }
  if (most === 0) return null;
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  return high - low >= 2 ? { low, high } : { low: high - 2, high };
}

/** The position of a positive number in this range, from the bottom (0) to the top (1). */
export const shareOf = (x: number, { low, high }: Decades): number => (Math.log10(x) - low) / (high - low);

/** At most `most` powers of ten for the axis, evenly spaced, from the highest down. */
export function ticksOf({ low, high }: Decades, most: number): number[] {
  const every = Math.ceil((high - low + 1) / most);
  const ticks: number[] = [];
  for (let power = high; power >= low; power -= every) ticks.push(power);
  return ticks;
}

/** 10⁻⁴ */
export const powerOfTen = (power: number): string => `10${power < 0 ? "⁻" : ""}${raised(Math.abs(power))}`;
