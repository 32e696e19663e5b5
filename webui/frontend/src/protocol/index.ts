/** The wire's types, under the names the rest of the app uses. */
import type * as wire from "./generated";

export type {
  AnomalyFound,
  BackwardFinished,
  BackwardStarted,
  Breakpoint,
  CollectiveRan,
  Control,
  Detached,
  GradAccumulated,
  GradComputed,
  Gradients,
  GradNorm,
  GradReduced,
  HookRan,
  Input,
  Memory,
  Mutated,
  NodeEntered,
  Notice,
  Outline,
  ParameterNorms,
  Pause,
  Place,
  Root,
  Run,
  RunFinished,
  Saved,
  Snapshot,
  Step,
  StepTaken,
  StepUpdate,
  Subscribe,
  TensorFacts,
  Tile,
  Value,
} from "./generated";
export type NodeRecord = wire.Node;

/** One thing that happened. */
export type AnyRecord =
  | wire.RunStarted
  | wire.Source
  | wire.Tensor
  | wire.Node
  | wire.SavedRecord
  | wire.Released
  | wire.Mutated
  | wire.Detached
  | wire.BackwardStarted
  | wire.NodeReady
  | wire.NodeEntered
  | wire.GradComputed
  | wire.GradReduced
  | wire.GradAccumulated
  | wire.HookRan
  | wire.BackwardFinished
  | wire.AnomalyFound
  | wire.ScopeEntered
  | wire.ScopeLeft
  | wire.StepTaken
  | wire.Scalar
  | wire.Output
  | wire.CollectiveRan
  | wire.Dropped
  | wire.Paused
  | wire.Resumed
  | wire.Breakpoints
  | wire.RunFinished;

export type RecordType = AnyRecord["type"];

/** What a viewer receives. Records come as plain data: those of an unknown type are kept out by {@link known}. */
export type LiveMessage = wire.Outline | wire.Snapshot | wire.Batch | wire.StepUpdate | wire.Notice | wire.Problem;

const KNOWN: ReadonlySet<string> = new Set<RecordType>([
  "run_started",
  "source",
  "tensor",
  "node",
  "saved",
  "released",
  "mutated",
  "detached",
  "backward_started",
  "node_ready",
  "node_entered",
  "grad_computed",
  "grad_reduced",
  "grad_accumulated",
  "hook_ran",
  "backward_finished",
  "anomaly_found",
  "scope_entered",
  "scope_left",
  "step_taken",
  "scalar",
  "output",
  "collective_ran",
  "dropped",
  "paused",
  "resumed",
  "breakpoints",
  "run_finished",
]);

/** The records that this reader understands; a newer program may send others, which are no reason to stop. */
export function known(records: readonly Record<string, unknown>[]): AnyRecord[] {
  return records.filter((r) => KNOWN.has(String(r.type))) as unknown as AnyRecord[];
}

export const PROTOCOL_VERSION = 1;
export const SCHEMA_VERSION = 1;
