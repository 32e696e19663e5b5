/** How the elements of a tensor are distributed, step by step, as bands: from histograms to quantiles. */
import type { Distribution, Distributions, Histogram, Step, Value } from "../protocol";

/** The parts of the elements that lie below the edges of the bands. */
export const SHARES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

/** The quantiles of a step, in the order of `SHARES`. */
export interface Band {
  step: number;
  at: number[];
}

/** The number below which a part of the elements lies; within a bin they are taken as spread evenly. */
export function quantile({ min, max, hist }: Histogram, share: number): number {
  const all = hist.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [i, count] of hist.entries()) {
    if (count > 0 && below + count >= share * all)
      return min + ((i + (share * all - below) / count) / hist.length) * (max - min);
    below += count;
  }
  return max;
}

export const bandsOf = (data: Distributions, of: "value" | "grad"): Band[] =>
  (data.steps ?? []).flatMap((each) => {
    const histogram = each[of];
    return histogram ? [{ step: each.step, at: SHARES.map((share) => quantile(histogram, share)) }] : [];
  });

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
    if (record.type === "tensor" && record.id === tensor) at(step).value ??= histogramOf(record.value);
    else if (record.type === "grad_accumulated" && record.leaf === tensor)
      at(step).grad = histogramOf(record.total) ?? at(step).grad;
    else if (record.type === "mutated" && record.tensor === tensor && record.grad === true)
      at(step).grad = histogramOf(record.value) ?? at(step).grad;
  }
  const valued = new Set(steps.filter((row) => row.values).map((row) => row.step));
  return {
    every: 1,
    steps: [...found.values()].filter(({ step, value, grad }) => valued.has(step) && (value ?? grad)),
  };
}

function histogramOf(value: unknown): Histogram | undefined {
  const { min, max, hist } = (value ?? {}) as Partial<Value>;
  return min != null && max != null && hist?.length ? { min, max, hist } : undefined;
}
