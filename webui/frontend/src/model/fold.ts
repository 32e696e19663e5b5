/** Applies one record to the state of a moment. All that the explorer shows follows from this fold. */
import { handled, type AnyRecord, type NodeRecord, type TensorFacts, type Value } from "../protocol";
import type { Contribution, NodeState, Sent, State, TensorState } from "./state";

type Of<T extends AnyRecord["type"]> = Extract<AnyRecord, { type: T }>;

/** Applies `record` to a state that the caller owns. Entries are replaced, never changed. */
export function apply(state: State, record: AnyRecord): void {
  state.index += 1;
  state.seq = record.seq;
  const before = state.t;
  if (record.type !== "source" && record.type !== "run_started") state.t = record.t;
  switch (record.type) {
    case "tensor":
      return addTensor(state, record);
    case "node":
      return addNode(state, record, before);
    case "saved":
      return save(state, record);
    case "released":
      return release(state, record);
    case "mutated":
      return mutate(state, record);
    case "backward_started":
      state.backward = { run: record.run, start: record, node: null, finished: false, error: null };
      state.queue = [];
      return;
    case "node_ready":
      state.queue = [...state.queue, record.node];
      return changeNode(state, record.node, () => ({ readyAt: record.seq }));
    case "node_entered":
      return enter(state, record);
    case "grad_computed":
      return send(state, record);
    case "grad_reduced":
      return changeNode(state, record.node, (n) => ({ reduced: [...n.reduced, record] }));
    case "grad_accumulated":
      return accumulate(state, record);
    case "hook_ran":
      return runHook(state, record);
    case "backward_finished":
      return finishBackward(state, record);
    case "anomaly_found":
      return findAnomaly(state, record);
    case "collective_ran":
      return exchange(state, record);
    case "step_taken":
      state.stepTaken = record;
      return;
    case "run_finished":
      state.finished = record;
      return;
    case "dropped":
      state.dropped += record.count;
      state.gap = record.reason ?? "";
      if (record.count === 0) state.stopped = record.reason ?? "";
      return;
    case "run_started":
    case "source":
    case "detached":
    case "scope_entered":
    case "scope_left":
    case "numbers":
    case "scalar":
    case "output":
    case "paused":
    case "resumed":
    case "breakpoints":
      return;
    default:
      return handled(record);
  }
}

const freshNode = (seq: number, seconds: number | null, inputs: (Value | null)[], output: Value | null): NodeState => ({
  ranAt: seq,
  seconds,
  inputs,
  output,
  saved: [],
  releasedAt: null,
  readyAt: null,
  entered: null,
  arrived: [],
  sent: new Map(),
  reduced: [],
  hooks: [],
  anomalies: [],
});

const freshTensor = (record: TensorFacts): TensorState => ({
  version: record.version ?? 0,
  value: record.value ?? null,
  grad: record.grad ?? null,
  before: record.grad ?? null,
  arrived: [],
  mutations: [],
  rewritten: [],
  hooks: [],
});

function changeNode(state: State, id: number, change: (node: NodeState) => Partial<NodeState>): void {
  const node = state.nodes.get(id);
  if (node) state.nodes.set(id, { ...node, ...change(node) });
}

function changeTensor(state: State, id: number, change: (tensor: TensorState) => Partial<TensorState>): void {
  const tensor = state.tensors.get(id);
  if (tensor) state.tensors.set(id, { ...tensor, ...change(tensor) });
}

function addTensor(state: State, record: TensorFacts): void {
  const known = state.tensors.get(record.id);
  if (!known) state.tensors.set(record.id, freshTensor(record));
  else
    changeTensor(state, record.id, () => ({
      version: record.version ?? known.version,
      value: record.value ?? known.value,
    }));
}

function addNode(state: State, record: NodeRecord, before: number | null): void {
  const inputs = record.inputs.map((i) => (i.tensor == null ? null : (state.tensors.get(i.tensor)?.value ?? null)));
  const seconds = before === null ? null : Math.max(0, record.t - before);
  state.nodes.set(record.id, freshNode(record.seq, seconds, inputs, record.outputs[0]?.value ?? null));
  for (const output of record.outputs) addTensor(state, output);
}

function heldBytes(node: NodeState | undefined): number {
  if (!node || node.releasedAt !== null) return 0;
  return node.saved.reduce((sum, s) => sum + s.bytes, 0);
}

function save(state: State, record: Of<"saved">): void {
  const before = heldBytes(state.nodes.get(record.node));
  changeNode(state, record.node, (n) => ({ saved: [...n.saved, ...record.saved], releasedAt: null }));
  state.savedBytes += heldBytes(state.nodes.get(record.node)) - before;
}

function release(state: State, record: Of<"released">): void {
  state.savedBytes -= heldBytes(state.nodes.get(record.node));
  changeNode(state, record.node, () => ({ releasedAt: record.seq }));
}

function mutate(state: State, record: Of<"mutated">): void {
  if (record.grad)
    return changeTensor(state, record.tensor, (t) => ({
      grad: record.value ?? t.grad,
      rewritten: [...t.rewritten, record],
    }));
  changeTensor(state, record.tensor, (t) => ({
    version: record.version,
    value: record.value ?? t.value,
    mutations: [...t.mutations, record],
  }));
}

function enter(state: State, record: Of<"node_entered">): void {
  if (state.backward) state.backward = { ...state.backward, node: record.node };
  state.queue = state.queue.filter((id) => id !== record.node);
  changeNode(state, record.node, () => ({
    entered: { run: record.run, seq: record.seq, t: record.t, grads: record.grads },
    sent: new Map(),
    reduced: [],
  }));
}

function send(state: State, record: Of<"grad_computed">): void {
  const sent: Sent = {
    seq: record.seq,
    t: record.t,
    run: record.run,
    input: record.input,
    toNode: record.to_node ?? null,
    toOutput: record.to_output ?? 0,
    toLeaf: record.to_leaf ?? null,
    shape: record.shape,
    value: record.value ?? null,
  };
  changeNode(state, record.node, (n) => ({ sent: new Map(n.sent).set(record.index, sent) }));
}

function accumulate(state: State, record: Of<"grad_accumulated">): void {
  const contribution: Contribution = {
    seq: record.seq,
    run: record.run,
    output: record.output ?? 0,
    from: record.from_node ?? null,
    value: record.contribution ?? null,
    total: record.total ?? null,
    count: record.count ?? 1,
    returned: record.leaf != null && state.backward?.run === record.run && state.backward.start.captures === true,
    replaces: record.replaces ?? false,
  };
  if (record.leaf != null) {
    changeTensor(state, record.leaf, (t) => ({
      arrived: [...t.arrived, contribution],
      grad: record.total ?? t.grad,
    }));
  } else if (record.node != null) {
    changeNode(state, record.node, (n) => ({ arrived: [...n.arrived, contribution] }));
  }
}

/** Stores the result of a collective as the rank's value. */
function exchange(state: State, record: Of<"collective_ran">): void {
  record.tensors?.forEach((tensor, i) => {
    const after = record.after?.[i];
    if (after) changeTensor(state, tensor, () => (record.grads ? { grad: after } : { value: after }));
  });
}

function runHook(state: State, record: Of<"hook_ran">): void {
  if (record.node != null) changeNode(state, record.node, (n) => ({ hooks: [...n.hooks, record] }));
  if (record.tensor != null) changeTensor(state, record.tensor, (t) => ({ hooks: [...t.hooks, record] }));
}

function finishBackward(state: State, record: Of<"backward_finished">): void {
  if (state.backward) state.backward = { ...state.backward, finished: true, error: record.error ?? null };
  state.queue = [];
}

function findAnomaly(state: State, record: Of<"anomaly_found">): void {
  state.anomalies = [...state.anomalies, record];
  if (record.node != null) changeNode(state, record.node, (n) => ({ anomalies: [...n.anomalies, record] }));
}
