/** The rows of the timeline, one for each step. */
import type { Step } from "../protocol";
import { counted, english, t } from "../language/text";

/** The old rows with new or changed ones merged in. */
export function mergeSteps(old: Step[], fresh: Step[]): Step[] {
  const first = fresh[0];
  if (!first) return old;
  const last = old.at(-1);
  if (!last || last.step < first.step) return [...old, ...fresh];
  const rows = new Map(old.map((s) => [s.step, s]));
  for (const step of fresh) rows.set(step.step, step);
  return [...rows.values()].sort((a, b) => a.step - b.step);
}

/** What was recorded of a step: everything, its forward, the numbers of its ops, or only its outcome. */
export type Kept = "whole" | "forward" | "ops" | "numbers" | "loss";

export function keptOf(row: Step): Kept | null {
  if ((row.nodes ?? 0) > 0) return !row.values ? "ops" : row.gradients === false ? "forward" : "whole";
  if (row.numbers) return "numbers";
  return row.loss != null || row.not_finite || row.grad_norm != null || row.norms != null ? "loss" : null;
}

/** The numbers of ops, leaves and backwards in words. A step with only numbers has no recorded backward. */
export function sizeOf(row: Step | undefined, ops: number, leaves: number): string {
  const counts = [counted(ops, "{n} op", "{n} ops"), counted(leaves, "{n} leaf", "{n} leaves")];
  if (!row || keptOf(row) !== "numbers") counts.push(counted(row?.backwards ?? 0, "{n} backward", "{n} backwards"));
  return counts.join(", ");
}

/** The names of these kinds in the list of steps, with explanations. */
export const KEPT: Record<Kept, { word: string; means: string }> = {
  whole: { word: english("whole"), means: english("its ops with their values") },
  forward: {
    word: english("forward"),
    means: english("its ops with their values; of backward only the norms of the gradients"),
  },
  ops: { word: english("ops"), means: english("its ops; no values were recorded") },
  numbers: { word: english("numbers"), means: english("the norm and the extremes of each op") },
  loss: { word: english("loss"), means: english("the loss and the norms of the gradients") },
};

/** The steps worth listing: after the last optimiser step there is often only the end of the run. */
export function worthwhile(steps: Step[], live: boolean): Step[] {
  return steps.filter((row, i) => keptOf(row) !== null || (live && i === steps.length - 1));
}

/** A range of steps that are missing between two others. */
export interface Gap {
  first: number;
  last: number;
}

/** `every` is more than 1 if the rows of a very long run were thinned: then only wider ranges are gaps. */
export function gapsIn(rows: readonly Step[], every = 1): Gap[] {
  const gaps: Gap[] = [];
  for (let i = 1; i < rows.length; i++) {
    const [before, after] = [rows[i - 1]!.step, rows[i]!.step];
    if (after > before + every) gaps.push({ first: before + 1, last: after - 1 });
  }
  return gaps;
}

/** `55 steps are missing here: 2945 to 2999.`; empty if none are. */
export function gapsInWords(gaps: readonly Gap[]): string {
  const count = gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  if (count === 0) return "";
  const [gap] = gaps;
  if (count === 1) return t("Step {step} is missing.", { step: gap!.first });
  return gaps.length > 1
    ? t("{count} steps are missing: in {gaps} gaps.", { count, gaps: gaps.length })
    : t("{count} steps are missing: {first} to {last}.", { count, ...gap! });
}
