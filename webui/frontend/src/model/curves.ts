/** Scales and lines for curves over the steps of a run; no line has more points than pixels. */
import { raised } from "./format";

export interface Point {
  x: number;
  y: number;
}

/** Steps from `first` to `last` across so many pixels. */
export const stepScale =
  (first: number, last: number, room: number, pad = 4) =>
  (step: number): number =>
    pad + ((step - first) / Math.max(1, last - first)) * (room - 2 * pad);

/** The points of a line, with at most two in a column of pixels: the highest and the lowest; null where it breaks off. */
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

/** The columns' highest and lowest points, in the order in which they came. */
type Column = { high: Point; low: Point };

function gather(columns: Column[], point: Point): void {
  const last = columns.at(-1);
  if (!last || Math.round(last.low.x) !== Math.round(point.x)) columns.push({ high: point, low: point });
  else if (point.y < last.high.y) last.high = point;
  else if (point.y > last.low.y) last.low = point;
}

const pairOf = ({ high, low }: Column): Point[] => (high === low ? [low] : high.x <= low.x ? [high, low] : [low, high]);

/** A point that stands alone is a line as well: round ends make a dot of it. */
function written(part: readonly Point[]): string {
  const [first, ...rest] = part.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
  if (first === undefined) return "";
  return `M${first}${rest.length > 0 ? `L${rest.join(" ")}` : "h0"}`;
}

/** One of the steps in each column of pixels: where more would only lie upon it. */
export const onePerPixel = (steps: readonly number[], x: (step: number) => number): number[] => [
  ...new Map(steps.map((step) => [Math.round(x(step)), step])).values(),
];

/** Powers of ten from the one below the least to the one above the most, two apart at the least. */
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

/** A positive number's place from the bottom (0) to the top (1) of the powers of ten. */
export const shareOf = (x: number, { low, high }: Decades): number => (Math.log10(x) - low) / (high - low);

/** At most so many powers of ten, evenly spaced, from the highest down: those that are written beside the axis. */
export function ticksOf({ low, high }: Decades, most: number): number[] {
  const every = Math.ceil((high - low + 1) / most);
  const ticks: number[] = [];
  for (let power = high; power >= low; power -= every) ticks.push(power);
  return ticks;
}

/** 10⁻⁴ */
export const powerOfTen = (power: number): string => `10${power < 0 ? "⁻" : ""}${raised(Math.abs(power))}`;
