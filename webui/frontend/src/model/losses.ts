/** The curve of the loss: its axis, where it breaks off, and a smoother one before it. */
import type { Step } from "../protocol";

export interface Axis {
  log: boolean;
  low: number;
  high: number;
}

/** From so many times the least on, the differences between small losses are lost on a linear axis. */
const WIDE = 20;

/** `chosen` null leaves it to the numbers: a logarithmic axis where they differ much. */
export function axisOf(losses: readonly number[], chosen: boolean | null): Axis | null {
  if (losses.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const loss of losses) [low, high] = [Math.min(low, loss), Math.max(high, loss)];
  return { log: low > 0 && (chosen ?? high > WIDE * low), low, high };
}

/** A loss's place from the bottom (0) to the top (1). */
export function heightOf(loss: number, { log, low, high }: Axis): number {
  if (high === low) return 0.5;
  if (!log) return (loss - low) / (high - low);
  return Math.log(Math.max(loss, low) / low) / Math.log(high / low);
}

/** The losses one after the other; null where one is no number, or steps are missing: there the line breaks off. */
export function* lossesOf(rows: readonly Step[], every = 1): Iterable<{ step: number; loss: number } | null> {
  let before: number | null = null;
  for (const { step, loss, not_finite } of rows) {
    if (before !== null && step > before + every) yield null;
    if (not_finite) yield null;
    else if (loss != null) yield { step, loss };
    before = step;
  }
}

/** Each loss with its forerunners, of which the last counts 1, the one before `keep`, then `keep` squared, and so on. */
export function* smoothed<T extends { loss: number }>(points: Iterable<T | null>, keep: number): Iterable<T | null> {
  let [sum, weight] = [0, 0];
  for (const point of points) {
    if (point === null) yield null;
    else {
      [sum, weight] = [keep * sum + point.loss, keep * weight + 1];
      yield { ...point, loss: sum / weight };
    }
  }
}

/** Steps one after the other whose loss is no number. */
export function brokenSpans(rows: readonly Step[]): { first: number; last: number }[] {
  const spans: { first: number; last: number }[] = [];
  let open = false;
  for (const { step, not_finite } of rows) {
    if (!not_finite) open = false;
    else if (open) spans.at(-1)!.last = step;
    else {
      spans.push({ first: step, last: step });
      open = true;
    }
  }
  return spans;
}
