/** How the elements of a tensor are distributed, step by step, as bands between quantiles. */
import type { Distribution, Distributions, Step, Value } from "../protocol";
import { grid } from "./values";

/** The parts of the elements that lie below the edges of the bands. */
export const SHARES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

/** The quantiles of a step, in the order of `SHARES`. */
export interface Band {
  step: number;
  at: number[];
}

/** The number below which a part of the sorted elements lies; between two of them, in proportion. */
export function quantile(sorted: Float32Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return low + (place % 1) * (high - low);
}

export const bandsOf = (data: Distributions, of: "value" | "grad"): Band[] =>
  (data.steps ?? []).flatMap(({ step, [of]: at }) => (at ? [{ step, at }] : []));

/** From the lowest number to the highest, and where a number is in a chart of this height. */
export interface Axis {
  low: number;
  high: number;
  y: (value: number) => number;
}

export function axisOf(bands: readonly Band[], height: number, pad: number): Axis {
  const low = Math.min(...bands.map(({ at }) => at[0]!));
  const high = Math.max(...bands.map(({ at }) => at.at(-1)!));
  const range = high - low || Math.abs(high) || 1;
  return { low, high, y: (value) => height - pad - ((value - low) / range) * (height - 2 * pad) };
}

/** The path of the area between two quantiles, by their places in `SHARES`. */
export function areaOf(
  bands: readonly Band[],
  from: number,
  to: number,
  x: (step: number) => number,
  y: (value: number) => number,
): string {
  const side = (i: number): string[] => bands.map(({ step, at }) => `${x(step).toFixed(1)},${y(at[i]!).toFixed(1)}`);
  return `M${[...side(to), ...side(from).reverse()].join("L")}Z`;
}

/** The same data as from the server, from loaded records. */
export function distributionsOf(
  steps: readonly Step[],
  records: readonly Record<string, unknown>[],
  tensor: number,
): Distributions {
  const found = new Map<number, Distribution>();
  const at = (step: number): Distribution => {
    if (!found.has(step)) found.set(step, { step });
    return found.get(step)!;
  };
  for (const record of records) {
    const step = (record.step as number | undefined) ?? 0;
    if (record.type === "tensor" && record.id === tensor) at(step).value ??= quantilesOf(record.value);
    else if (record.type === "grad_accumulated" && record.leaf === tensor)
      at(step).grad = quantilesOf(record.total) ?? at(step).grad;
    else if (record.type === "mutated" && record.tensor === tensor && record.grad === true)
      at(step).grad = quantilesOf(record.value) ?? at(step).grad;
  }
  const valued = new Set(steps.filter((row) => row.values).map((row) => row.step));
  return {
    every: 1,
    steps: [...found.values()].filter(({ step, value, grad }) => valued.has(step) && (value ?? grad)),
  };
}

/** The quantiles of the recorded elements, of those that are finite. */
function quantilesOf(value: unknown): number[] | undefined {
  const sorted = grid(value as Value | null)
    ?.data.filter(Number.isFinite)
    .sort();
  return sorted?.length ? SHARES.map((share) => quantile(sorted, share)) : undefined;
}
