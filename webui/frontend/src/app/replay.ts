/**
 * One HTML file that shows a run without server or network: this very app with its parts and the records put inside.
 *
 * The server puts it together (`exporting.py`); here is what the page does when it finds itself in such a file.
 */
import type { AnyRecord, Run, Snapshot, Step } from "../protocol";

/** What a replay carries; found in the page, it takes the place of the server. */
export interface Replay {
  run: Run;
  steps: Step[];
  records: AnyRecord[];
  /** The layout worker's text: a page from a file may not load another file. */
  worker: string;
}

let carried: Replay | null | undefined;

export function replay(): Replay | null {
  if (carried === undefined) {
    const text = document.getElementById("minigrad-replay")?.textContent;
    carried = text ? (JSON.parse(text) as Replay) : null;
  }
  return carried;
}

/** The step to show unasked, as the server chooses it: the last in which a backward ran, with values if there is one. */
export function telling(steps: readonly Step[]): Step | undefined {
  const trained = steps.filter((step) => (step.backwards ?? 0) > 0);
  return trained.findLast((step) => step.values) ?? trained.at(-1) ?? steps.at(-1);
}

/** Stands in for the live connection: the snapshot that the server would have sent. */
export function watchReplay(carried: Replay, step: number | null, message: (message: Snapshot) => void): () => void {
  const shown = step ?? telling(carried.steps)?.step ?? 0;
  const records = carried.records.filter((r) => r.type === "source" || (r.step ?? 0) === shown);
  const seq = records.at(-1)?.seq ?? 0;
  const plain = records as unknown as Snapshot["records"];
  const timer = setTimeout(() => {
    message({ type: "snapshot", run: carried.run, steps: carried.steps, step: shown, seq, records: plain });
  });
  return () => clearTimeout(timer);
}
