/** Where runs come from: the server, or the file that this page is. Callers need not know which. */
import type { AnyRecord, Distributions, Findings, Gradients, Run, Step } from "../protocol";
import {
  distributions,
  findings,
  gradients,
  lastRecord,
  listRuns,
  listSteps,
  type Live,
  type LiveHandlers,
  recordsOfStep,
  watchRun,
} from "../protocol/client";
import { Carried, replay } from "./replay";

export interface Origin {
  listRuns(): Promise<Run[]>;
  listSteps(id: string): Promise<Step[]>;
  /** Each parameter's gradient norm, step by step. */
  gradients(id: string): Promise<Gradients>;
  /** How the elements of a tensor and of its gradient are distributed, step by step. */
  distributions(id: string, tensor: number): Promise<Distributions>;
  /** The problems of its program. */
  findings(id: string): Promise<Findings>;
  recordsOfStep(id: string, step: number): Promise<AnyRecord[]>;
  /** The end of a run. */
  lastRecord(run: Run): Promise<AnyRecord | null>;
  /**
   * Watches one run: one step of it, or always the newest (`step` null). `outline` asks for the outline of a large step
   * first.
   */
  watchRun(id: string, step: number | null, outline: boolean, handlers: LiveHandlers): Live;
}

const server: Origin = { listRuns, listSteps, gradients, distributions, findings, recordsOfStep, lastRecord, watchRun };
let found: Origin | null = null;

export function origin(): Origin {
  const carried = replay();
  return (found ??= carried ? new Carried(carried.runs) : server);
}
