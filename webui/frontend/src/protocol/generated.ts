/* Generated from minigrad_webui.protocol by `npm run protocol`. Do not edit. */

/**
 * Everything that is sent; only here so that one file holds all types.
 */
export interface Wire {
  AnomalyFound?: AnomalyFound;
  BackwardFinished?: BackwardFinished;
  BackwardStarted?: BackwardStarted;
  Batch?: Batch;
  Breakpoint?: Breakpoint;
  Breakpoints?: Breakpoints;
  CollectiveRan?: CollectiveRan;
  Control?: Control;
  Detached?: Detached;
  Distribution?: Distribution;
  Distributions?: Distributions;
  Dropped?: Dropped;
  Finding?: Finding;
  Findings?: Findings;
  GradAccumulated?: GradAccumulated;
  GradComputed?: GradComputed;
  GradNorm?: GradNorm;
  GradReduced?: GradReduced;
  Gradients?: Gradients;
  Graph?: Graph;
  Health?: Health;
  HookRan?: HookRan;
  Input?: Input;
  Memory?: Memory;
  Mutated?: Mutated;
  Node?: Node;
  NodeEntered?: NodeEntered;
  NodeReady?: NodeReady;
  Notice?: Notice;
  Numbers?: Numbers;
  Outline?: Outline;
  Output?: Output;
  ParameterNorms?: ParameterNorms;
  Pause?: Pause;
  Paused?: Paused;
  Place?: Place;
  Problem?: Problem;
  Released?: Released;
  Resumed?: Resumed;
  Root?: Root;
  Run?: Run;
  RunFinished?: RunFinished;
  RunStarted?: RunStarted;
  Saved?: Saved;
  SavedRecord?: SavedRecord;
  Scalar?: Scalar;
  ScopeEntered?: ScopeEntered;
  ScopeLeft?: ScopeLeft;
  Snapshot?: Snapshot;
  Source?: Source;
  Step?: Step;
  StepTaken?: StepTaken;
  StepUpdate?: StepUpdate;
  Subscribe?: Subscribe;
  Tensor?: Tensor;
  TensorFacts?: TensorFacts;
  Tile?: Tile;
  TouchRequest?: TouchRequest;
  Touched?: Touched;
  TouchedLeaf?: TouchedLeaf;
  TouchedOutput?: TouchedOutput;
  Trouble?: Trouble;
  Value?: Value;
}
/**
 * Something is wrong: kind is nan, inf, stale (a saved tensor was changed in place), written (outside autograd).
 */
export interface AnomalyFound {
  at?: Place | null;
  kind: string;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  message: string;
  node?: number | null;
  seq: number;
  step?: number;
  t: number;
  tensor?: number | null;
  type: "anomaly_found";
}
/**
 * A line of the user's own program. ``code`` is the expression where Python knows it, else the stripped line.
 */
export interface Place {
  code?: string;
  file: string;
  function?: string;
  line: number;
}
/**
 * Bytes of the arrays of all tensors, after a record. Their sum is the most memory in use since the record before.
 *
 * Each array counts once, as one kind, from the event that first shows it until it is freed.
 */
export interface Memory {
  /**
   * other results of ops: a variable holds them, or the line that runs
   */
  activations?: number;
  /**
   * what is in a .grad
   */
  gradients?: number;
  /**
   * other leaves: data, constants
   */
  inputs?: number;
  /**
   * what an optimiser remembers for them
   */
  optimizer?: number;
  /**
   * leaves that want a gradient
   */
  parameters?: number;
  /**
   * activations, and what else an op made, that a node keeps for its backward
   */
  saved?: number;
  /**
   * what backward has made and not put into a .grad; what came and went
   */
  temporary?: number;
}
/**
 * The engine run ended, well or with an error.
 */
export interface BackwardFinished {
  error?: string | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  nodes: number;
  run: number;
  seq: number;
  step?: number;
  t: number;
  type: "backward_finished";
}
/**
 * A run of the backward engine began.
 */
export interface BackwardStarted {
  at?: Place | null;
  /**
   * autograd.grad: the gradients are returned, and no leaf's .grad is touched
   */
  captures?: boolean;
  create_graph?: boolean;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  retain_graph?: boolean;
  roots: Root[];
  run: number;
  seq: number;
  step?: number;
  t: number;
  type: "backward_started";
}
/**
 * The start of a backward run.
 */
export interface Root {
  node?: number | null;
  output?: number;
  tensor?: number | null;
  value?: Value | null;
}
/**
 * The value of a tensor at that moment, or as much of it as was recorded.
 *
 * ``data`` is base64 of little-endian float32, row by row. ``full``: every element, at most 4,096, as ``rows`` by
 * ``cols`` (leading axes are flattened into rows; a scalar is 1 by 1). ``sampled``: a thumbnail of at most 32 by 32
 * elements, picked on an even grid. ``stats``: statistics only, no ``data``. Complex tensors are shown by magnitude.
 * ``text``: the first 2,000 letters of a text, or of the feedback on one.
 */
export interface Value {
  cols?: number;
  data?: string | null;
  inf?: number;
  kind: "full" | "sampled" | "stats" | "text";
  max?: number | null;
  mean?: number | null;
  min?: number | null;
  nan?: number;
  norm?: number | null;
  rows?: number;
  std?: number | null;
  text?: string | null;
}
/**
 * Records in order. Publisher to server, and server to viewer: at most 30 a second.
 */
export interface Batch {
  first: number;
  last: number;
  records: {
    [k: string]: unknown;
  }[];
  type: "batch";
}
/**
 * The conditions of a breakpoint: all given ones must hold.
 */
export interface Breakpoint {
  /**
   * the file of `line`; its end is enough
   */
  file?: string | null;
  line?: number | null;
  /**
   * a module's path, name or type: net.0, Linear
   */
  module?: string | null;
  /**
   * before the tensor called so is made, and where its gradient arrives
   */
  name?: string | null;
  /**
   * after what makes a NaN or an infinity of finite numbers
   */
  nan?: boolean;
  node?: number | null;
  /**
   * where a gradient arrives that is longer than this
   */
  norm?: number | null;
  /**
   * it goes as soon as the program stops anywhere
   */
  once?: boolean;
  /**
   * MatMul; before its forward and before its backward
   */
  op?: string | null;
  phase?: ("forward" | "backward") | null;
}
/**
 * All breakpoints from here on. The first such record says that the program can be paused.
 */
export interface Breakpoints {
  breakpoints: Breakpoint[];
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  seq: number;
  step?: number;
  t: number;
  type: "breakpoints";
}
/**
 * Ranks exchanged data.
 */
export interface CollectiveRan {
  after?: (Value | null)[];
  /**
   * what this rank had of each tensor; empty where nobody knows
   */
  before?: (Value | null)[];
  /**
   * number of the bucket of gradients that travelled together
   */
  bucket?: number | null;
  /**
   * seconds to add to this rank's clock to get that of rank 0
   */
  clock?: number;
  /**
   * seconds it took to fill the bucket, before the exchange began
   */
  filling?: number;
  /**
   * it is the .grad of the tensors that was exchanged
   */
  grads?: boolean;
  kind: string;
  /**
   * seconds it had been complete when this was told
   */
  late?: number;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  rank?: number;
  /**
   * sum, mean; empty where nothing is reduced or it is not known
   */
  reduction?: string;
  seconds?: number;
  seq: number;
  /**
   * bytes of what was exchanged of each tensor
   */
  sizes?: number[];
  step?: number;
  t: number;
  tensors?: number[];
  type: "collective_ran";
  /**
   * of the seconds, those in which this rank did nothing but wait
   */
  waited?: number;
}
/**
 * Viewer to server, which passes it on to the program.
 *
 * ``pause``: at the next op, node or leaf; ``step`` to the one after; ``over`` the module; ``run_to`` a breakpoint
 * once; ``stop`` ends the program; ``break`` and ``unbreak`` set and remove a breakpoint.
 */
export interface Control {
  action: "pause" | "step" | "over" | "continue" | "run_to" | "stop" | "break" | "unbreak";
  /**
   * for break, unbreak and run_to
   */
  breakpoint?: Breakpoint | null;
  /**
   * of the pause that this answers; of another one it is ignored
   */
  number?: number | null;
  protocol?: number;
  type: "control";
}
/**
 * A tensor left the graph by ``detach()``, ``detach_()`` or ``.data``.
 *
 * No gradient comes back from it to `tensor`.
 */
export interface Detached {
  at?: Place | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  /**
   * what is outside the graph, introduced when it is used; after detach_() the tensor
   */
  result: number;
  seq: number;
  step?: number;
  t: number;
  tensor: number;
  type: "detached";
}
/**
 * The elements of a tensor when a step began, and of its gradient as the optimiser used it.
 *
 * Each by five numbers: 5, 25, 50, 75 and 95 % of the elements lie below. If few elements were recorded, of those.
 */
export interface Distribution {
  grad?: number[] | null;
  step: number;
  value?: number[] | null;
}
/**
 * How the elements of one tensor are distributed, in the steps whose values were taken.
 */
export interface Distributions {
  /**
   * one of this many such steps is here, and the newest
   */
  every?: number;
  steps?: Distribution[];
}
/**
 * Here ``count`` records were left out, because the queue was full or the run too long.
 */
export interface Dropped {
  count: number;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  reason?: string;
  seq: number;
  step?: number;
  t: number;
  type: "dropped";
}
/**
 * Something that is wrong with a program, and what to do.
 */
export interface Finding {
  advice?: string;
  at?: Place | null;
  /**
   * one word for programs, such as uncleared
   */
  kind: string;
  message: string;
  /**
   * the op that it is about, in that step
   */
  node?: number | null;
  /**
   * a step in which it shows
   */
  step?: number | null;
}
/**
 * The findings about a run, the most explanatory first.
 */
export interface Findings {
  /**
   * there was no more to read
   */
  complete?: boolean;
  findings?: Finding[];
  /**
   * the number of the last record that was read for it
   */
  read?: number;
}
/**
 * A contribution arrived at a node's output or at a leaf. ``count`` is its number there in this step, from 1.
 */
export interface GradAccumulated {
  contribution?: Value | null;
  count?: number;
  from_node?: number | null;
  leaf?: number | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node?: number | null;
  output?: number;
  /**
   * no contribution: a hook put this in the place of what had come
   */
  replaces?: boolean;
  run: number;
  seq: number;
  step?: number;
  t: number;
  total?: Value | null;
  type: "grad_accumulated";
}
/**
 * A node sends a gradient to its input ``index``: to ``to_node``, or to the leaf ``to_leaf``.
 */
export interface GradComputed {
  index: number;
  input: string;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  run: number;
  seq: number;
  shape: number[];
  step?: number;
  t: number;
  to_leaf?: number | null;
  to_node?: number | null;
  to_output?: number;
  type: "grad_computed";
  value?: Value | null;
}
/**
 * A parameter's gradient norm when a step ended: after clipping, as the optimiser used it.
 */
export interface GradNorm {
  name?: string | null;
  /**
   * null where it had no gradient, or one that is no number
   */
  norm?: number | null;
  not_finite?: ("nan" | "inf") | null;
  tensor: number;
}
/**
 * The gradient was summed over axes along which the input had been broadcast.
 */
export interface GradReduced {
  after: number[];
  before: number[];
  index: number;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  run: number;
  seq: number;
  step?: number;
  t: number;
  type: "grad_reduced";
}
/**
 * Each parameter's gradient norm, step by step. The parameters of the newest step come first, in their order.
 */
export interface Gradients {
  /**
   * of every this many steps, the one with the largest gradient norm is here
   */
  every?: number;
  /**
   * further parameters, for which there was no room
   */
  left_out?: number;
  parameters?: ParameterNorms[];
  steps?: number[];
}
/**
 * One parameter over the steps of a `Gradients`: "none" if it had no gradient, null if it took no part.
 */
export interface ParameterNorms {
  name?: string | null;
  norms: (number | ("nan" | "inf" | "none") | null)[];
  tensor: number;
}
/**
 * The graph of a step at its end: nodes and tensors, without the events that led to it.
 */
export interface Graph {
  nodes: Node[];
  run: string;
  step: number;
  tensors: Tensor[];
}
/**
 * An op ran. The record contains its outputs, so that one record is enough to draw one box.
 */
export interface Node {
  at?: Place | null;
  /**
   * the program's functions around it, inside the innermost module: the second call is 'block (2)'
   */
  calls?: string[];
  /**
   * the formula holds for each element, so numbers can be put into it
   */
  elementwise?: boolean;
  /**
   * LaTeX of the result
   */
  formula?: string;
  /**
   * input name -> LaTeX of its gradient
   */
  gradients?: {
    [k: string]: string;
  };
  id: number;
  inplace?: boolean;
  inputs: Input[];
  /**
   * 0 forward; 1 made by a backward with create_graph; 2 by its backward; ...
   */
  layer?: number;
  /**
   * the node whose backward made this one: with layer >= 1 or recomputed
   */
  made_by?: number | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  /**
   * MatMul
   */
  op: string;
  outputs: TensorFacts[];
  params?: {
    [k: string]: unknown;
  };
  /**
   * a checkpoint ran its region again, as backward needs what was saved
   */
  recomputed?: boolean;
  /**
   * False: it ran, but is not in the graph
   */
  recorded?: boolean;
  /**
   * modules from the outermost in, as 'name:Type'
   */
  scope?: string[];
  seq: number;
  step?: number;
  /**
   * how the user wrote it: @, +, tanh
   */
  symbol?: string;
  t: number;
  type: "node";
}
/**
 * One input of a node. A constant that is no tensor has only ``constant``; a constant tensor has no ``node``.
 */
export interface Input {
  constant?: string | null;
  /**
   * the op's own name for it: a, b, x, weight
   */
  name: string;
  /**
   * the node that made it, where that node is in the graph
   */
  node?: number | null;
  output?: number;
  tensor?: number | null;
}
/**
 * A tensor's first record in a step. ``name``: the parameter's path, or the variable.
 */
export interface TensorFacts {
  at?: Place | null;
  /**
   * the tensor this one is a view of
   */
  base?: number | null;
  bytes?: number;
  device?: string;
  dtype: string;
  /**
   * the .grad it already had when it was first seen in this step
   */
  grad?: Value | null;
  id: number;
  leaf?: boolean;
  name?: string | null;
  parameter?: boolean;
  requires_grad?: boolean;
  shape: number[];
  strides?: number[];
  value?: Value | null;
  version?: number;
}
/**
 * A tensor that no op of the step made: a leaf, or the result of an earlier step.
 */
export interface Tensor {
  at?: Place | null;
  /**
   * the tensor this one is a view of
   */
  base?: number | null;
  bytes?: number;
  device?: string;
  dtype: string;
  /**
   * the .grad it already had when it was first seen in this step
   */
  grad?: Value | null;
  id: number;
  leaf?: boolean;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  name?: string | null;
  parameter?: boolean;
  requires_grad?: boolean;
  seq: number;
  shape: number[];
  step?: number;
  strides?: number[];
  t: number;
  type: "tensor";
  value?: Value | null;
  version?: number;
}
/**
 * The server is up.
 */
export interface Health {
  minigrad: string;
  protocol?: number;
  runs?: number;
  schema_version?: number;
  status?: "ok";
}
/**
 * A hook ran; ``changed`` says whether it replaced the gradient.
 */
export interface HookRan {
  after?: Value | null;
  before?: Value | null;
  changed?: boolean;
  /**
   * tensor, node_pre, node, post_accumulate, pack, unpack, multi, module
   */
  kind: string;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  name: string;
  node?: number | null;
  seq: number;
  step?: number;
  t: number;
  tensor?: number | null;
  type: "hook_ran";
}
/**
 * A tensor was written to in place; ``version`` is the new one. Every view of the storage has it too.
 */
export interface Mutated {
  at?: Place | null;
  /**
   * it is the .grad of the tensor that was changed; the tensor stays as it was
   */
  grad?: boolean;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node?: number | null;
  op?: string;
  seq: number;
  step?: number;
  t: number;
  tensor: number;
  type: "mutated";
  value?: Value | null;
  version: number;
}
/**
 * A node starts its backward. ``grads`` has one value per output, null if none arrived or it was not recorded.
 */
export interface NodeEntered {
  grads: (Value | null)[];
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  run: number;
  seq: number;
  step?: number;
  t: number;
  type: "node_entered";
}
/**
 * A node has received all gradients that it waits for. It joined the queue, which now holds ``waiting`` nodes.
 */
export interface NodeReady {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  run: number;
  seq: number;
  step?: number;
  t: number;
  type: "node_ready";
  waiting?: number;
}
/**
 * Server to viewer: a request was not done, and why. The connection stays open.
 */
export interface Notice {
  code: string;
  message: string;
  type: "notice";
}
/**
 * The result of each op, in the order in which they ran, of a step whose records were not kept.
 *
 * The ops are those of step ``like``, and are its ``nodes``. If no step is like it, ``ops`` has their names.
 */
export interface Numbers {
  /**
   * an entry, how many NaN, how many infinities: of each op that has any
   */
  broken?: number[][];
  like?: number | null;
  max: (number | null)[];
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  min: (number | null)[];
  nodes?: number[];
  norm: (number | null)[];
  ops?: string[];
  seq: number;
  step?: number;
  t: number;
  type: "numbers";
}
/**
 * Server to viewer, on request: the parts of a large step, sent before its first snapshot.
 *
 * ``records`` has the run's sources and, up to ``seq``, the step's nodes, tensors, scopes, collectives and detached
 * tensors: enough to draw it. The snapshot, which has them again, comes when the viewer subscribes again.
 */
export interface Outline {
  /**
   * one of every this many older steps is among `steps`
   */
  every?: number;
  records: {
    [k: string]: unknown;
  }[];
  run: Run;
  seq: number;
  step: number;
  /**
   * all, or the newest 5,000 with every n-th older one
   */
  steps: Step[];
  type: "outline";
}
/**
 * A run in the list of runs.
 */
export interface Run {
  breakpoints?: Breakpoint[];
  /**
   * while it is running it takes Control messages
   */
  control?: boolean;
  ended?: string | null;
  error?: string | null;
  id: string;
  /**
   * the same in all runs that were started together
   */
  launch?: string | null;
  loss?: number | null;
  name: string;
  /**
   * what the loss was where it is no number that JSON knows
   */
  not_finite?: ("nan" | "inf" | "-inf") | null;
  /**
   * where the program is held, while it is running
   */
  paused?: Pause | null;
  /**
   * of its process, where a launcher started several
   */
  rank?: number | null;
  records?: number;
  /**
   * bytes of its records; none where an older minigrad did not count them
   */
  size?: number | null;
  started: string;
  status: "running" | "finished" | "failed" | "interrupted" | "lost";
  steps?: number;
  /**
   * where it first went wrong; a run that ended opens there
   */
  trouble?: Trouble | null;
  world_size?: number | null;
}
/**
 * Where a program is paused. ``after``: the named op or gradient is done; ``before``: it is about to run.
 */
export interface Pause {
  at?: Place | null;
  breakpoint?: Breakpoint | null;
  /**
   * the nodes whose results an op is about to take
   */
  from_nodes?: number[];
  /**
   * the leaf whose gradient has arrived
   */
  leaf?: number | null;
  names?: string[];
  /**
   * null for an op that has not run: it has no node yet
   */
  node?: number | null;
  /**
   * of this pause in the run, from 1; a Control names it, so that it answers no other
   */
  number: number;
  op: string;
  phase: "forward" | "backward";
  reason: "pause" | "step" | "breakpoint" | "run_to";
  /**
   * in backward, the line that started it
   */
  running_at?: Place | null;
  scope?: string[];
  step?: number;
  when: "before" | "after";
}
/**
 * Where a run first went wrong: its first anomaly.
 */
export interface Trouble {
  file?: string | null;
  /**
   * nan, inf, stale, written, loss, vanished, exploded
   */
  kind: string;
  line?: number | null;
  message: string;
  seq: number;
  step: number;
}
/**
 * One row of the timeline: where a step's records are, and its results.
 */
export interface Step {
  backwards?: number;
  done?: boolean;
  /**
   * seconds into the run when it ended, where it exchanged data
   */
  ended?: number | null;
  /**
   * seconds of its exchanges with other ranks, added up
   */
  exchanged?: number | null;
  first: number;
  grad_norm?: number | null;
  /**
   * the way of a gradient was recorded; null without backward
   */
  gradients?: boolean | null;
  last: number;
  loss?: number | null;
  /**
   * the variable that held the loss where backward was called
   */
  loss_name?: string | null;
  nodes?: number;
  /**
   * the number of its record that has the norm of each gradient
   */
  norms?: number | null;
  /**
   * what the loss was where it is no number that JSON knows
   */
  not_finite?: ("nan" | "inf" | "-inf") | null;
  /**
   * the norm and the extremes of each op are known, and no more
   */
  numbers?: boolean;
  step: number;
  /**
   * an anomaly was found in this step
   */
  trouble?: boolean;
  /**
   * values were taken in this step
   */
  values?: boolean;
  /**
   * of these, the seconds in which this rank did nothing but wait
   */
  waited?: number | null;
}
/**
 * Text that the program printed.
 */
export interface Output {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  seq: number;
  step?: number;
  stream: "stdout" | "stderr";
  t: number;
  text: string;
  type: "output";
}
/**
 * The program is paused from here until `Resumed`.
 */
export interface Paused {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  pause: Pause;
  seq: number;
  step?: number;
  t: number;
  type: "paused";
}
/**
 * Server to either: what went wrong and what to do; the connection then closes.
 */
export interface Problem {
  code: string;
  message: string;
  type: "problem";
}
/**
 * A node released all its saved tensors.
 */
export interface Released {
  bytes?: number;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  seq: number;
  step?: number;
  t: number;
  type: "released";
}
/**
 * The program continues. ``by`` is the command that it got, or nobody, closed, interrupted.
 */
export interface Resumed {
  by: string;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  number: number;
  seq: number;
  step?: number;
  t: number;
  type: "resumed";
}
/**
 * The last record of a run that ended normally or with an error, rather than being killed.
 */
export interface RunFinished {
  at?: Place | null;
  error?: string | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  seq: number;
  status: "finished" | "failed" | "interrupted";
  step?: number;
  t: number;
  type: "run_finished";
}
/**
 * The first record of every run and of every trace file.
 */
export interface RunStarted {
  argv?: string[];
  id: string;
  /**
   * what the processes that were started together have in common
   */
  launch?: string | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  minigrad?: string;
  name: string;
  python?: string;
  /**
   * of this process, where a launcher started several
   */
  rank?: number | null;
  schema_version?: number;
  seq: number;
  /**
   * ISO 8601, UTC
   */
  started: string;
  step?: number;
  t: number;
  type: "run_started";
  values?: "auto" | "all" | "none";
  /**
   * how many it started
   */
  world_size?: number | null;
}
/**
 * One tensor that a node saves for its backward.
 */
export interface Saved {
  bytes: number;
  /**
   * the input's name, `out`, or a further output of the op
   */
  name: string;
  tensor: number;
  version: number;
}
/**
 * A node saves tensors for its backward.
 */
export interface SavedRecord {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  node: number;
  saved: Saved[];
  seq: number;
  step?: number;
  t: number;
  type: "saved";
}
/**
 * A number the program reports itself, such as accuracy: one point of a curve.
 */
export interface Scalar {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  name: string;
  seq: number;
  step?: number;
  t: number;
  type: "scalar";
  /**
   * null for a NaN or an infinity
   */
  value?: number | null;
}
/**
 * A module's forward or a named region began; ``path`` is the scope with it, as in `Node.scope`.
 */
export interface ScopeEntered {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  /**
   * of an outermost module: all modules inside it, as path:Type, in the order of named_modules
   */
  modules?: string[] | null;
  path: string[];
  seq: number;
  step?: number;
  t: number;
  type: "scope_entered";
}
/**
 * The innermost scope ended.
 */
export interface ScopeLeft {
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  path: string[];
  seq: number;
  step?: number;
  t: number;
  type: "scope_left";
}
/**
 * Server to viewer: the whole picture. Sent first, after a gap, and when the followed step changes.
 *
 * ``records`` holds the run's sources and every record of ``step`` up to ``seq``; later ones come in batches.
 */
export interface Snapshot {
  /**
   * one of every this many older steps is among `steps`
   */
  every?: number;
  records: {
    [k: string]: unknown;
  }[];
  run: Run;
  seq: number;
  step: number;
  /**
   * all, or the newest 5,000 with every n-th older one
   */
  steps: Step[];
  type: "snapshot";
}
/**
 * The text of a file of the user's program, sent once, before the first place in it.
 */
export interface Source {
  file: string;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  seq: number;
  step?: number;
  t: number;
  text: string;
  type: "source";
}
/**
 * The step ended: an optimiser moved the parameters, or the program changed its leaves and computes again.
 */
export interface StepTaken {
  /**
   * seconds of all exchanges with other ranks, added up; null without any
   */
  exchanged?: number | null;
  /**
   * of all gradients together; null where that is no number
   */
  grad_norm?: number | null;
  /**
   * of each parameter, in steps whose values were taken
   */
  grad_norms?: GradNorm[];
  /**
   * the value of the last one-element root of a backward in this step
   */
  loss?: number | null;
  /**
   * the variable that held it where backward was called
   */
  loss_name?: string | null;
  /**
   * only where it is not what the record before it told
   */
  memory?: Memory | null;
  /**
   * the step, just like this one, in which ``memory`` was measured
   */
  memory_of?: number | null;
  /**
   * what the loss was where it is no number that JSON knows
   */
  not_finite?: ("nan" | "inf" | "-inf") | null;
  optimizer?: string | null;
  /**
   * whether this was the first step of that optimiser
   */
  optimizer_new?: boolean;
  seq: number;
  step?: number;
  t: number;
  type: "step_taken";
  /**
   * of these, the seconds in which this rank did nothing but wait
   */
  waited?: number | null;
}
/**
 * Server to viewer: the changed rows of the timeline, and the run's state.
 */
export interface StepUpdate {
  run: Run;
  steps: Step[];
  type: "steps";
}
/**
 * Viewer to server, first. ``step`` null follows the newest step, a number holds that one.
 *
 * The same can be set in the address: ``live?protocol=1&step=3``.
 */
export interface Subscribe {
  /**
   * send of a large step the `Outline` first
   */
  outline?: boolean;
  protocol?: number;
  step?: number | null;
  type: "subscribe";
}
/**
 * Publisher to server, and on to the viewer that asked: the elements, or in ``problem`` why there are none.
 *
 * ``data`` is base64 of little-endian numbers, row by row: float64 if ``wide``, else float32.
 */
export interface Tile {
  /**
   * elements, by number, that stand for a NaN or an infinity between them and the next shown
   */
  broken?: number[] | null;
  col?: number;
  cols?: number;
  data?: string;
  every?: number;
  number: number;
  problem?: string | null;
  row?: number;
  rows?: number;
  /**
   * of the whole array
   */
  shape?: number[];
  /**
   * the one that the program was in
   */
  step?: number;
  type: "tile";
  /**
   * of the tensor, when it was looked at
   */
  version?: number;
  wide?: boolean;
}
/**
 * The new value of one element: of a tensor that no op of the step made, or of a constant of a node.
 */
export interface TouchRequest {
  /**
   * row by row
   */
  element?: number;
  /**
   * the input's place
   */
  input?: number;
  /**
   * the node of whose constant input it is
   */
  node?: number | null;
  step: number;
  /**
   * its number in the records
   */
  tensor?: number | null;
  value: number;
}
/**
 * The step computed again, or in ``problem`` why it cannot be. The run itself is unchanged.
 */
export interface Touched {
  after?: number | null;
  /**
   * the loss; null where none depends on it, or it is not finite
   */
  before?: number | null;
  leaves?: TouchedLeaf[];
  /**
   * what is not as it was in the program
   */
  notes?: string[];
  old?: number;
  problem?: string | null;
  /**
   * of the loss with the element, before it was moved
   */
  slope?: number | null;
  /**
   * what it became; whole numbers and single precision round it
   */
  value?: number;
  /**
   * of each op that now gives or gets something else
   */
  values?: TouchedOutput[];
}
/**
 * A leaf, and its gradient before and after.
 */
export interface TouchedLeaf {
  before?: Value | null;
  gradient?: Value | null;
  tensor: number;
  value?: Value | null;
}
/**
 * An op's new value, and its new gradient.
 */
export interface TouchedOutput {
  /**
   * its value follows from what was moved; else only its gradient does
   */
  follows?: boolean;
  gradient?: Value | null;
  node: number;
  output?: number;
  value?: Value | null;
}

export type AnyRecord =
  | RunStarted
  | Source
  | Tensor
  | Node
  | SavedRecord
  | Released
  | Mutated
  | Detached
  | BackwardStarted
  | NodeReady
  | NodeEntered
  | GradComputed
  | GradReduced
  | GradAccumulated
  | HookRan
  | BackwardFinished
  | AnomalyFound
  | ScopeEntered
  | ScopeLeft
  | Numbers
  | StepTaken
  | Scalar
  | Output
  | CollectiveRan
  | Dropped
  | Paused
  | Resumed
  | Breakpoints
  | RunFinished;

export const KINDS = [
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
  "numbers",
  "step_taken",
  "scalar",
  "output",
  "collective_ran",
  "dropped",
  "paused",
  "resumed",
  "breakpoints",
  "run_finished"
] as const;

export const PROTOCOL_VERSION = 1 as const;

export const SCHEMA_VERSION = 2 as const;
