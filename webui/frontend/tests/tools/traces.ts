/** Moments of the recorded runs, found in their traces: so that a picture or a measure can say which it means. */
import { readFileSync } from "node:fs";
import { type AnyRecord, known } from "../../src/protocol";

const read = new Map<string, AnyRecord[]>();

/** All records of a run that the server of the tests holds. */
export function recordsOf(run: string): AnyRecord[] {
  const lines = (): string[] => readFileSync(`.recorded/${run}.jsonl`, "utf8").trim().split("\n");
  if (!read.has(run)) read.set(run, known(lines().map((line) => JSON.parse(line) as Record<string, unknown>)));
  return read.get(run)!;
}

/** The number of the `count`-th record of a type in a step, for the address: `at=…`. */
export function momentOf(run: string, step: number, type: AnyRecord["type"], count = 1): number {
  const found = recordsOf(run).filter((r) => r.type === type && r.step === step)[count - 1];
  if (!found) throw new Error(`Step ${step} of ${run} has no record ${count} of type ${type}.`);
  return found.seq;
}

/** Steps of a run that were kept whole, with values and gradients: a fast program keeps few of its steps so. */
export function wholeSteps(run: string): number[] {
  const records = recordsOf(run);
  const stepsWith = (wanted: (record: AnyRecord) => boolean): Set<number> =>
    new Set(records.filter(wanted).map(({ step }) => step ?? 0));
  const over = stepsWith(({ type }) => type === "step_taken");
  const back = stepsWith((r) => r.type === "grad_computed" && r.value != null);
  return [...stepsWith((r) => r.type === "node" && r.outputs[0]?.value != null)].filter(
    (step) => over.has(step) && back.has(step),
  );
}

/** The address in which every module of a run is open, in each of the calls of its outermost one. */
export function allOpen(run: string, calls: number): string {
  const paths = new Set<string>();
  for (const record of recordsOf(run)) {
    if (record.type !== "node") continue;
    const names = (record.scope ?? []).map((segment) => segment.split(":")[0]!);
    for (let depth = 1; depth <= names.length; depth++) paths.add(names.slice(0, depth).join("/"));
  }
  const keys: string[] = [];
  for (let call = 1; call <= calls; call++)
    for (const path of paths) {
      const key = call === 1 ? path : path.replace(/^[^/]+/, (outermost) => `${outermost} (${call})`);
      keys.push(key);
      // Equal members stand together under the name of the first.
      if (/[./]0$/.test(path)) keys.push(`${key}*`);
    }
  return encodeURIComponent(keys.join("+"));
}
