/** The curve of the loss: its axis, where it is interrupted, and a smoothed version. */
import type { Step } from "../protocol";
import { number } from "./format";

export interface Axis {
  log: boolean;
  low: number;
  high: number;
}

/** If the largest loss is this many times the smallest, the axis is logarithmic. */
const WIDE = 20;

/** A `chosen` of null chooses by the numbers: a logarithmic axis if they differ much. */
export function axisOf(losses: readonly number[], chosen: boolean | null): Axis | null {
  if (losses.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const loss of losses) [low, high] = [Math.min(low, loss), Math.max(high, loss)];
  return { log: low > 0 && (chosen ?? high > WIDE * low), low, high };
}

/** Both ends of an axis in three digits, or in so many more that they differ. */
export function boundsTold({ low, high }: Axis): { low: string; high: string } {
  for (let digits = 3; ; digits++) {
    const told = { low: number(low, digits), high: number(high, digits) };
    if (told.low !== told.high || low === high || digits === 8) return told;
  }
}

/** The position of a loss from the bottom (0) to the top (1). */
export function heightOf(loss: number, { log, low, high }: Axis): number {
  if (high === low) return 0.5;
  if (!log) return (loss - low) / (high - low);
  return Math.log(Math.max(loss, low) / low) / Math.log(high / low);
}

/** The name of a step's loss: the variable that held it. */
export const nameOf = (row: Pick<Step, "loss_name">): string => row.loss_name ?? "loss";

/** The names of a program's losses if there are several, as in a GAN. */
export function namesOf(rows: readonly Step[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows)
    if (row.loss != null || row.not_finite) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count > 1).map(([name]) => name);
  return often.length > 1 && often.length <= MOST_LINES ? often : [];
}

/** More lines could not be told apart. */
const MOST_LINES = 4;

/**
 * The losses in order, or those with one name. Null, where a loss is not finite or steps are missing, interrupts the
 * line.
 */
export function* lossesOf(
  rows: readonly Step[],
  every = 1,
  name: string | null = null,
): Iterable<{ step: number; loss: number } | null> {
  let before: number | null = null;
  for (const row of rows) {
    const { step, loss, not_finite } = row;
    if (before !== null && step > before + every) yield null;
    before = step;
    if (name !== null && nameOf(row) !== name) continue;
    if (not_finite) yield null;
    else if (loss != null) yield { step, loss };
  }
}

/** The ratio of each loss to that of the same step of another run, for one name or for all. */
export function* differencesOf(
  mine: readonly Step[],
  theirs: readonly Step[],
  name: string | null = null,
): Iterable<{ step: number; loss: number } | null> {
  const found = new Map(theirs.map((row) => [row.step, row]));
  for (const row of mine) {
    const other = found.get(row.step);
    if (name !== null && nameOf(row) !== name) continue;
    const alike = other && nameOf(other) === nameOf(row) && other.loss != null && row.loss != null;
    yield alike ? { step: row.step, loss: row.loss! - other.loss! } : null;
  }
}

/** An exponential moving average: the last loss has weight 1, the one before `keep`, then `keep` squared, and so on. */
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

/** Ranges of steps whose loss is not finite. */
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
