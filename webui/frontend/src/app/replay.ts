/**
 * One HTML file that shows runs without server or network: this app with its scripts and the records inside. The server
 * assembles it (`exporting.py`); this module handles a page that finds itself in such a file. Page and data are always
 * of the same version.
 */
import { distributionsOf } from "../model/distribution";
import { gradientsOf } from "../model/norms";
import {
  type AnyRecord,
  type Distributions,
  type Findings,
  type Gradients,
  known,
  type Run,
  type Snapshot,
  type Step,
  type Trouble,
} from "../protocol";
import type { Live, LiveHandlers } from "../protocol/client";
import type { Origin } from "./origin";
import { t } from "../language/text";

/** The data of a replay. If the page contains it, it replaces the server. */
export interface Replay {
  /** The text of the layout worker, because a page opened from a file may not load another file. */
  worker: string;
  /** The run to open first, then those that were started or exported with it. */
  runs: CarriedRun[];
}

export interface CarriedRun {
  run: Run;
  steps: Step[];
  /** None if only one step is included. */
  findings?: Findings | null;
  records: Record<string, unknown>[];
}

let carried: Replay | null | undefined;

export function replay(): Replay | null {
  if (carried === undefined) {
    const text = document.getElementById("minigrad-replay")?.textContent;
    carried = text ? (JSON.parse(text) as Replay) : null;
  }
  return carried;
}

/**
 * The step to show by default, chosen as by the server: where the run first went wrong; else the last with a backward,
 * if possible with values, also of backward; else the last with ops.
 */
export function telling(steps: readonly Step[], trouble?: Trouble | null): Step | undefined {
  const wrong = trouble && steps.find(({ step }) => step === trouble.step);
  if (wrong) return wrong;
  const trained = steps.filter((step) => (step.backwards ?? 0) > 0);
  const valued = trained.filter((step) => step.values);
  const withOps = steps.filter((step) => (step.nodes ?? 0) > 0);
  return (
    valued.findLast((step) => step.gradients !== false) ??
    valued.at(-1) ??
    trained.at(-1) ??
    withOps.findLast((step) => step.values) ??
    withOps.at(-1) ??
    steps.at(-1)
  );
}

/** Answers requests from the file, as the server would. */
export class Carried implements Origin {
  constructor(private readonly runs: readonly CarriedRun[]) {}

  listRuns(): Promise<Run[]> {
    return Promise.resolve(this.runs.map(({ run }) => run));
  }

  listSteps(id: string): Promise<Step[]> {
    return this.asked(id, ({ steps }) => steps);
  }

  gradients(id: string): Promise<Gradients> {
    return this.asked(id, ({ steps, records }) => {
      const at = new Map(records.map((record) => [record.seq as number, record]));
      return gradientsOf(steps, (seq) => at.get(seq)!);
    });
  }

  distributions(id: string, tensor: number): Promise<Distributions> {
    return this.asked(id, ({ steps, records }) => distributionsOf(steps, records, tensor));
  }

  findings(id: string): Promise<Findings> {
    return this.asked(id, ({ findings }) => findings ?? { read: 0, complete: true, findings: [] });
  }

  recordsOfStep(id: string, step: number): Promise<AnyRecord[]> {
    return this.asked(id, ({ records }) => known(records.filter((r) => stepOf(r) === step)));
  }

  lastRecord({ id }: Run): Promise<AnyRecord | null> {
    return this.asked(id, ({ records }) => known(records.slice(-1))[0] ?? null);
  }

  /** Sends the snapshot that the server would have sent. There are no further messages. */
  watchRun(id: string, step: number | null, _outline: boolean, { message, link }: LiveHandlers): Live {
    const timer = setTimeout(() => {
      const one = this.runs.find(({ run }) => run.id === id);
      if (!one) return link("refused", this.lacking(id));
      link("open");
      message(snapshot(one, step ?? telling(one.steps, one.run.trouble)?.step ?? 0));
    });
    return { stop: () => clearTimeout(timer), more: () => undefined, control: () => undefined };
  }

  private asked<T>(id: string, answer: (one: CarriedRun) => T): Promise<T> {
    const one = this.runs.find(({ run }) => run.id === id);
    return one ? Promise.resolve(answer(one)) : Promise.reject(new Error(this.lacking(id)));
  }

  private lacking(id: string): string {
    const there = this.runs.map(({ run }) => `${run.name} (${run.id})`).join(", ");
    return t("There is no run {id} in this file. It holds {runs}.", { id, runs: there });
  }
}

const stepOf = (record: Record<string, unknown>): number => (record.step as number | undefined) ?? 0;

function snapshot({ run, steps, records }: CarriedRun, step: number): Snapshot {
  const shown = records.filter((r) => r.type === "source" || stepOf(r) === step);
  const seq = (shown.at(-1)?.seq as number | undefined) ?? 0;
  return { type: "snapshot", run, steps, step, seq, records: shown };
}
