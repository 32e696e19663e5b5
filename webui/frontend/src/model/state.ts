/** The state after some record: plain data, never changed in place, so that moments can share it. */
import type {
  AnomalyFound,
  BackwardStarted,
  GradReduced,
  HookRan,
  Mutated,
  RunFinished,
  Saved,
  StepTaken,
  Value,
} from "../protocol";
import { sameValue } from "./values";

/** A gradient that arrived: its sender, and the sum so far. */
export interface Contribution {
  seq: number;
  run: number;
  output: number;
  from: number | null;
  value: Value | null;
  total: Value | null;
  count: number;
  /** `autograd.grad` returns it to its caller, instead of adding it to `.grad`. */
  returned: boolean;
  /** A hook returned it: it replaces the gradient instead of being added. */
  replaces: boolean;
}

/** A gradient that a node sent to one of its inputs. */
export interface Sent {
  seq: number;
  /** Seconds since the run began. */
  t: number;
  run: number;
  input: string;
  toNode: number | null;
  toOutput: number;
  toLeaf: number | null;
  shape: number[];
  value: Value | null;
}

export interface NodeState {
  readonly ranAt: number;
  /** Seconds since the record before it; null for the first record of the step. */
  readonly seconds: number | null;
  /** The values of inputs and outputs when it ran, which later changes to the tensors do not affect. */
  readonly inputs: readonly (Value | null)[];
  readonly output: Value | null;
  readonly saved: readonly Saved[];
  readonly releasedAt: number | null;
  readonly readyAt: number | null;
  readonly entered: {
    readonly run: number;
    readonly seq: number;
    readonly t: number;
    readonly grads: readonly (Value | null)[];
  } | null;
  readonly arrived: readonly Contribution[];
  readonly sent: ReadonlyMap<number, Sent>;
  readonly reduced: readonly GradReduced[];
  readonly hooks: readonly HookRan[];
  readonly anomalies: readonly AnomalyFound[];
}

export interface TensorState {
  readonly version: number;
  readonly value: Value | null;
  readonly grad: Value | null;
  /** The `.grad` at the beginning of the step. */
  readonly before: Value | null;
  readonly arrived: readonly Contribution[];
  readonly mutations: readonly Mutated[];
  /** Changes to its `.grad` in place, such as clipping. */
  readonly rewritten: readonly Mutated[];
  readonly hooks: readonly HookRan[];
}

export interface BackwardState {
  readonly run: number;
  readonly start: BackwardStarted;
  readonly node: number | null;
  readonly finished: boolean;
  readonly error: string | null;
}

export interface State {
  /** The number of records applied, and the number of the last. */
  index: number;
  seq: number;
  /** The time of the last record of the step, in seconds since the run began. */
  t: number | null;
  nodes: Map<number, NodeState>;
  tensors: Map<number, TensorState>;
  backward: BackwardState | null;
  /** Nodes that are ready to run. */
  queue: readonly number[];
  savedBytes: number;
  anomalies: readonly AnomalyFound[];
  stepTaken: StepTaken | null;
  finished: RunFinished | null;
  dropped: number;
  /** Why records were last left out. */
  gap: string;
  /** Why recording stopped although the program went on; null if it did not. */
  stopped: string | null;
}

export const emptyState = (): State => ({
  index: 0,
  seq: 0,
  t: null,
  nodes: new Map(),
  tensors: new Map(),
  backward: null,
  queue: [],
  savedBytes: 0,
  anomalies: [],
  stepTaken: null,
  finished: null,
  dropped: 0,
  gap: "",
  stopped: null,
});

/** A copy of a state. Entries are shared, because they are never changed. */
export const copyState = (state: State): State => ({
  ...state,
  nodes: new Map(state.nodes),
  tensors: new Map(state.tensors),
});

/** Whether backward added to a `.grad` from an earlier step, usually because it was not cleared. */
export function addedToOld({ before, arrived }: TensorState): boolean {
  const first = arrived.find((c) => !c.returned);
  return before !== null && first?.total != null && !sameValue(first.value, first.total);
}

/** Whether the step is over. */
export const isOver = (state: State): boolean => state.stepTaken !== null || state.finished !== null;

/** Whether a backward ran without recorded nodes: of many steps only the forward or its numbers are kept. */
export function backwardUntold({ backward, stepTaken }: State): boolean {
  if (backward === null) return stepTaken?.grad_norm != null;
  return backward.finished && backward.node === null && backward.error === null;
}

/** Whether the backward of a node is to come, runs now or is over. */
export type Phase = "absent" | "forward" | "ready" | "running" | "done";

export function phaseOf(state: State, node: number): Phase {
  const known = state.nodes.get(node);
  if (!known) return "absent";
  if (state.backward && !state.backward.finished && state.backward.node === node) return "running";
  if (known.entered) return known.readyAt !== null && known.readyAt > known.entered.seq ? "ready" : "done";
  return known.readyAt !== null ? "ready" : "forward";
}

/** Contributions to one output in the newest backward run. */
export function newest(arrived: readonly Contribution[], output = 0): Contribution[] {
  const mine = arrived.filter((c) => c.output === output);
  const run = mine.at(-1)?.run;
  return mine.filter((c) => c.run === run);
}

/** The number of gradients that have arrived, without a hook's replacements. */
export const comeOf = (arrived: readonly Contribution[]): number => arrived.filter((c) => !c.replaces).length;

/** The gradient at a node's output so far: the one its backward began with, else the sum of contributions. */
export function gradientAt(state: State, node: number, output = 0): Value | null {
  const known = state.nodes.get(node);
  if (!known) return null;
  const last = newest(known.arrived, output).at(-1);
  const entered = known.entered?.grads[output] ?? null;
  if (known.entered && (!last || last.run === known.entered.run)) return entered ?? last?.total ?? last?.value ?? null;
  return last?.total ?? last?.value ?? null;
}

/** A short hash: equal states have equal hashes. */
export function hashState(state: State): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of canonical(state)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

function canonical(state: State): string {
  const sorted = <V>(map: ReadonlyMap<number, V>): [number, V][] => [...map].sort(([a], [b]) => a - b);
  const plain = {
    ...state,
    tensors: sorted(state.tensors),
    nodes: sorted(state.nodes).map(([id, node]) => [id, { ...node, sent: sorted(node.sent) }]),
  };
  return JSON.stringify(plain);
}
