/** The wire's types, under the names the rest of the app uses. */
import * as wire from "./generated";

export type {
  AnomalyFound,
  BackwardFinished,
  BackwardStarted,
  Breakpoint,
  CollectiveRan,
  Control,
  Detached,
  Distribution,
  Distributions,
  GradAccumulated,
  GradComputed,
  Finding,
  Findings,
  Gradients,
  GradNorm,
  GradReduced,
  HookRan,
  Input,
  Memory,
  Mutated,
  NodeEntered,
  Notice,
  Numbers,
  Outline,
  ParameterNorms,
  Pause,
  Place,
  Root,
  Run,
  RunFinished,
  ScopeEntered,
  Saved,
  Snapshot,
  Step,
  StepTaken,
  StepUpdate,
  Subscribe,
  TensorFacts,
  Tile,
  Touched,
  TouchRequest,
  Trouble,
  Value,
} from "./generated";
export type NodeRecord = wire.Node;

export { PROTOCOL_VERSION, SCHEMA_VERSION } from "./generated";
export type { AnyRecord } from "./generated";

export type RecordType = wire.AnyRecord["type"];

/** The messages for a viewer. Records come as plain data: those of an unknown type are kept out by {@link known}. */
export type LiveMessage = wire.Outline | wire.Snapshot | wire.Batch | wire.StepUpdate | wire.Notice | wire.Problem;

const KNOWN: ReadonlySet<string> = new Set(wire.KINDS);

/** The records of known kinds; a newer program may send others, which are ignored. */
export function known(records: readonly Record<string, unknown>[]): wire.AnyRecord[] {
  return records.filter((r) => KNOWN.has(String(r.type))) as unknown as wire.AnyRecord[];
}

/** Call it after all kinds of records are handled: the compiler then names a forgotten one. */
export function handled(record: never): void {
  void record;
}
