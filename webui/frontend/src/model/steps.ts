/** The rows of the timeline, a step each. */
import type { Step } from "../protocol";

/** Rows that were known, with those that are new or have changed. */
export function mergeSteps(old: Step[], fresh: Step[]): Step[] {
  const first = fresh[0];
  if (!first) return old;
  const last = old.at(-1);
  if (!last || last.step < first.step) return [...old, ...fresh];
  const rows = new Map(old.map((s) => [s.step, s]));
  for (const step of fresh) rows.set(step.step, step);
  return [...rows.values()].sort((a, b) => a.step - b.step);
}

/** Steps in which something ran; what follows the last optimiser step is often nothing but the end, unless it goes on. */
export function worthwhile(steps: Step[], live: boolean): Step[] {
  return steps.filter((s, i) => (s.nodes ?? 0) > 0 || (live && i === steps.length - 1));
}
