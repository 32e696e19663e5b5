/** The moment: what has happened up to one record. Plain data, never changed in place, so that moments can share it. */
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

/** A gradient that arrived: its sender, and the sum with those before it. */
export interface Contribution {
  seq: number;
  run: number;
  output: number;
  from: number | null;
  value: Value | null;
  total: Value | null;
  count: number;
  /** `autograd.grad` hands it to its caller: it never goes into `.grad`. */
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
  /** From the record before it to its own; null where none of the step came before. */
  readonly seconds: number | null;
  /** The inputs and outputs when it ran: a later line may change the tensors, but not these. */
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
  /** The .grad it came into the step with. */
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
  /** When the last record of the step came, in seconds since the run began. */
  t: number | null;
  nodes: Map<number, NodeState>;
  tensors: Map<number, TensorState>;
  backward: BackwardState | null;
  /** Nodes that are ready and wait for their turn. */
  queue: readonly number[];
  savedBytes: number;
  anomalies: readonly AnomalyFound[];
  stepTaken: StepTaken | null;
  finished: RunFinished | null;
  dropped: number;
  /** Why records were left out last. */
  gap: string;
  /** Why nothing more was recorded of a program that went on; null where all is well. */
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

/** A moment of its own: entries are shared, because nobody changes them. */
export const copyState = (state: State): State => ({
  ...state,
  nodes: new Map(state.nodes),
  tensors: new Map(state.tensors),
});

/** Backward added to what an earlier step had left in `.grad`: meant by few, forgotten by many. */
export function addedToOld({ before, arrived }: TensorState): boolean {
  const first = arrived.find((c) => !c.returned);
  return before !== null && first?.total != null && !sameValue(first.value, first.total);
}

/** Nothing more will happen in this step. */
export const isOver = (state: State): boolean => state.stepTaken !== null || state.finished !== null;

/** Whether a backward ran of which no node was recorded: of many steps only the forward is kept, or its numbers. */
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

/** Contributions to one output that belong to the newest run of the engine. */
export function newest(arrived: readonly Contribution[], output = 0): Contribution[] {
  const mine = arrived.filter((c) => c.output === output);
  const run = mine.at(-1)?.run;
  return mine.filter((c) => c.run === run);
}

/** The number of gradients that have come: what a hook made of them is none of them. */
export const comeOf = (arrived: readonly Contribution[]): number => arrived.filter((c) => !c.replaces).length;

/** The gradient at a node's output so far: what it was entered with, else the sum of what has come. */
export function gradientAt(state: State, node: number, output = 0): Value | null {
  const known = state.nodes.get(node);
  if (!known) return null;
  const last = newest(known.arrived, output).at(-1);
  const entered = known.entered?.grads[output] ?? null;
  if (known.entered && (!last || last.run === known.entered.run)) return entered ?? last?.total ?? last?.value ?? null;
  return last?.total ?? last?.value ?? null;
}

/** A short fingerprint: equal moments have equal ones. */
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
