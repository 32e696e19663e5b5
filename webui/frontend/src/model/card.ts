/** The text of an item at a moment, which the canvas draws and the text tree shows. */
import type { NodeRecord, Value } from "../protocol";
import { bytesOf, given, nameOf, reductionOf } from "./collectives";
import { bytes, expression, shape } from "./format";
import { isFunction } from "./functions";
import { isLines } from "./lines";
import { detailOf, pathOf, titleOf } from "./module";
import { distinctNames } from "./repeats";
import { backwardUntold, comeOf, gradientAt, isOver, newest, type Phase, phaseOf, type State } from "./state";
import type { Structure, Use } from "./structure";
import { broken, masked, norm, scalar } from "./values";
import { isOfModule, type Item, type Module, ROOT, type Visible } from "./visible";
import { counted, language, type Language, t } from "../language/text";

const NOT_FINITE = "NaN/∞";

export interface Pin {
  label: string;
  released: boolean;
}

/** An instance of a stack: its name, its progress, and the norm of its result. */
export interface Cell {
  key: string | null;
  label: string;
  phase: Phase;
  /** Norm of the gradient that arrived, else of the output. */
  norm: number | null;
  backward: boolean;
  /** Drawn open beside the stack. */
  lens: boolean;
}

export interface Card {
  key: string;
  kind: Item["kind"];
  title: string;
  /** The user's notation, or a module's type. */
  detail: string;
  /** The name of the output. */
  name: string;
  number: string;
  phase: Phase;
  value: Value | null;
  shape: string;
  gradient: Value | null;
  /** Why there is no gradient to show. */
  note: string;
  pins: Pin[];
  version: number;
  hooks: number;
  /** The problem, in a word: NaN/∞, stale. */
  trouble: string;
  parameter: boolean;
  /** How many contributions have arrived, of those expected. */
  arrived: number;
  expected: number;
  /** The instances of a stack. */
  strip: Cell[];
  /** The ops of a module: how many ran, ran backward, are in the graph, and exist. */
  progress: { ran: number; back: number; recorded: number; total: number } | null;
}

type Cards = WeakMap<State, WeakMap<Item, Card>>;
/** The cards of a moment, created once for each language: every tile that an item touches needs them. */
const made: Record<Language, Cards> = { en: new WeakMap(), de: new WeakMap() };

export function cardOf(item: Item, graph: Structure, visible: Visible, state: State): Card {
  const cards = made[language()];
  let mine = cards.get(state);
  if (!mine) cards.set(state, (mine = new WeakMap()));
  let card = mine.get(item);
  if (!card) mine.set(item, (card = makeCard(item, graph, visible, state)));
  return card;
}

/** All fields of a card as a flat list: equal lists mean equal cards. */
export function cardTraits({ pins, progress, strip, ...rest }: Card): unknown[] {
  return [
    ...Object.values(rest),
    ...strip.flatMap((cell) => Object.values(cell)),
    ...pins.flatMap((p) => [p.label, p.released]),
    ...Object.values(progress ?? {}),
  ];
}

function makeCard(item: Item, graph: Structure, visible: Visible, state: State): Card {
  if (item.kind === "op") return opCard(item, visible.modules.get(item.frame)!, graph, state);
  if (item.kind === "leaf") return leafCard(item, graph, state);
  if (item.kind === "collective") return collectiveCard(item, graph, state);
  return moduleCard(item, visible.modules.get(item.key)!, graph, state);
}

function opCard(item: Item, frame: Module, graph: Structure, state: State): Card {
  const record = graph.nodes.get(item.id)!;
  const known = state.nodes.get(item.id);
  const out = record.outputs[0];
  const tensor = out && state.tensors.get(out.id);
  const phase = phaseOf(state, item.id);
  const gradient = gradientAt(state, item.id);
  const version = tensor?.version ?? 0;
  return {
    key: item.key,
    kind: "op",
    title: record.op,
    detail: expression(record, (tensor) => nameWithin(frame, graph.nameOf(tensor))),
    name: out?.name ?? "",
    number: `#${graph.numberOf(record.id)}`,
    phase,
    value: tensor?.value ?? null,
    shape: out ? shape(out.shape) : "",
    gradient,
    note: gradient ? "" : noteFor(record, phase, state),
    pins: pinsOf(graph, item.id, state),
    version,
    hooks: (known?.hooks.length ?? 0) + (tensor?.hooks.length ?? 0),
    trouble: opTrouble(record, state),
    parameter: false,
    arrived: comeOf(newest(known?.arrived ?? [])),
    expected: record.recorded === false ? 0 : expectedAt(graph, item.id),
    progress: null,
    strip: [],
  };
}

/** What is wrong with an op at this moment, in a word; empty where nothing is. */
export function opTrouble({ id, op, outputs }: NodeRecord, state: State): string {
  const value = outputs[0] && state.tensors.get(outputs[0].id)?.value;
  if (wrong(op, value) || broken(gradientAt(state, id))) return NOT_FINITE;
  return troubleOf(state.nodes.get(id)?.anomalies[0]?.kind);
}

const troubleOf = (kind: string | undefined): string => (kind === "stale" ? t("stale") : (kind ?? ""));

/** Ops that make −∞ from finite numbers. In other ops −∞ comes from a mask, or is passed on. */
const MAKES_INFINITY = /^(Log|Div|Reciprocal|Rsqrt|Pow|Logit|Atanh)/;

const wrong = (op: string, value: Value | null | undefined): boolean =>
  broken(value) && (MAKES_INFINITY.test(op) || !masked(value));

function noteFor(
  { recorded, recomputed }: Pick<NodeRecord, "recorded" | "recomputed">,
  phase: Phase,
  state: State,
): string {
  if (recorded === false) return t("not in graph");
  if (recomputed && (phase === "forward" || phase === "ready")) return t("for backward");
  if (phase === "running" || phase === "done" || backwardUntold(state)) return t("not recorded");
  return isOver(state) ? t("no gradient") : t("not yet");
}

function pinsOf(graph: Structure, node: number, state: State): Pin[] {
  const known = state.nodes.get(node);
  if (!known) return [];
  return known.saved.map((s) => ({ label: pinLabel(graph, s.name, s.tensor), released: known.releasedAt !== null }));
}

/** The label of a saved tensor: its own name if it has one, shortened, because a pin is small. */
function pinLabel(graph: Structure, name: string, tensor: number): string {
  const own = name === "out" ? null : graph.nameOf(tensor);
  return own && own.length <= 9 ? own : name;
}

/** The number of gradients that are summed at an output: one for each of its uses in the graph. */
export function expectedAt(graph: Structure, node: number, output = 0): number {
  return inGraph(graph, graph.usesOf(node, output));
}

export function expectedAtLeaf(graph: Structure, tensor: number): number {
  return graph.tensors.get(tensor)?.requires_grad ? inGraph(graph, graph.leaves.get(tensor) ?? []) : 0;
}

/** The number of uses in the graph. A checkpoint's second run counts only if the first was not recorded. */
function inGraph(graph: Structure, uses: readonly Use[]): number {
  const nodes = uses.map((use) => graph.nodes.get(use.node)!);
  const [again, first] = [nodes.filter((n) => n.recomputed), nodes.filter((n) => !n.recomputed)];
  const recorded = first.filter((n) => n.recorded !== false).length;
  return recorded + Math.min(again.length, first.length - recorded);
}

function leafCard(item: Item, graph: Structure, state: State): Card {
  const record = graph.tensors.get(item.id);
  const known = state.tensors.get(item.id);
  const needs = record?.requires_grad ?? false;
  return {
    key: item.key,
    kind: "leaf",
    title: shortName(graph.describe(item.id), item, graph),
    detail: "",
    name: "",
    number: "",
    phase: known ? "forward" : "absent",
    value: known?.value ?? null,
    shape: record ? shape(record.shape) : "",
    gradient: known?.grad ?? null,
    note: needs ? leafNote(item.id, graph, state) : t("no gradient"),
    pins: [],
    version: known?.version ?? 0,
    hooks: known?.hooks.length ?? 0,
    trouble: wrong("", known?.value) || broken(known?.grad) ? NOT_FINITE : "",
    parameter: needs,
    arrived: comeOf(newest(known?.arrived ?? [])),
    expected: expectedAtLeaf(graph, item.id),
    progress: null,
    strip: [],
  };
}

/** The card of a collective, which runs as long as only some ranks have reported it. */
function collectiveCard(item: Item, graph: Structure, state: State): Card {
  const collective = graph.collectives.ofKey(item.key)!;
  const first = collective.members[0]!;
  const told = collective.members.filter((m) => m.seq <= state.seq).length;
  const phase = told === 0 ? "absent" : told < collective.members.length ? "running" : "done";
  return {
    ...{ key: item.key, kind: "collective", title: nameOf(collective.kind), detail: reductionOf(collective), phase },
    ...{ name: given(first, graph).join(", "), number: bytes(bytesOf(first)), shape: "", value: null, gradient: null },
    ...{ note: "", pins: [], version: 0, hooks: 0, trouble: "", parameter: false, progress: null, strip: [] },
    ...{ arrived: told, expected: collective.members.length },
  };
}

/** The text in place of a leaf's `.grad` that has no value. */
export function leafNote(tensor: number, graph: Structure, state: State, over = isOver(state)): string {
  const arrived = state.tensors.get(tensor)?.arrived ?? [];
  if (arrived.length > 0) return arrived.every((c) => c.returned) ? t("returned") : t("not recorded");
  if (backwardUntold(state) && expectedAtLeaf(graph, tensor) > 0) return t("not recorded");
  return over ? t("None") : t("None yet");
}

/** A short name: inside its module, a parameter needs no path, and `self.w` becomes w. */
function shortName(name: string, item: Item, graph: Structure): string {
  const inModule = item.frame !== ROOT && isOfModule(graph.tensors.get(item.id));
  return inModule ? (name.split(".").at(-1) ?? name) : name.replace(/^self\./, "");
}

/** The name of a tensor for an op in a module: what the module itself keeps needs no path. */
function nameWithin(frame: Module, name: string | null): string | null {
  let module = frame;
  while (module.parent && (isFunction(module.segment) || isLines(module.segment))) module = module.parent;
  const [, path, own] = /^(.*)\.(.*)$/.exec(name ?? "") ?? [];
  return path !== undefined && `.${pathOf(module)}`.endsWith(`.${path}`) ? own! : name;
}

/** All ops in a module and in its inner modules. */
export function opsIn(module: Module): number[] {
  let ops = inside.get(module);
  if (!ops) inside.set(module, (ops = [...module.ops, ...module.modules.flatMap(opsIn)]));
  return ops;
}

const inside = new WeakMap<Module, number[]>();

function moduleCard(item: Item, module: Module, graph: Structure, state: State): Card {
  const ops = opsIn(module);
  const own = firstRun(ops, graph);
  const last = resultOf(own, graph);
  const out = graph.output(last);
  const gradient = gradientAt(state, last);
  const progress = progressOf(own, graph, state);
  const sort = { recorded: progress.recorded > 0 || progress.ran === 0, recomputed: graph.nodes.get(last)?.recomputed };
  return {
    key: item.key,
    kind: "module",
    title: titleOf(module),
    detail: detailOf(module),
    name: "",
    number: counted(ops.length, "{n} op", "{n} ops"),
    phase: modulePhase(progress, ops, state),
    value: (out && state.tensors.get(out.id)?.value) ?? null,
    shape: out ? shape(out.shape) : "",
    gradient,
    note: gradient ? "" : noteFor(sort, phaseOf(state, last), state),
    pins: [],
    version: 0,
    hooks: 0,
    trouble: ops.map((id) => troubleOf(state.nodes.get(id)?.anomalies[0]?.kind)).find(Boolean) ?? "",
    parameter: false,
    arrived: 0,
    expected: 0,
    progress,
    strip: item.cells === undefined ? [] : stripOf(module, graph, state),
  };
}

/** The cells of all instances, including those that have not run yet. */
function stripOf(stack: Module, graph: Structure, state: State): Cell[] {
  const { names } = stack.stack!;
  const single = stack.modules.length === 0;
  return distinctNames(names).map((label, i) => {
    const instance = stack.modules[i];
    const ops = single ? stack.ops.slice(i, i + 1) : instance ? opsIn(instance) : [];
    const last = resultOf(firstRun(ops, graph), graph);
    const gradient = gradientAt(state, last);
    const out = graph.output(last);
    const value = out && state.tensors.get(out.id)?.value;
    const phase = ops.length === 0 ? "absent" : modulePhase(progressOf(ops, graph, state), ops, state);
    const amount = gradient ?? value ?? null;
    return {
      key: instance?.key ?? null,
      label,
      phase,
      norm: amount && (norm(amount) ?? scalar(amount)),
      backward: gradient !== null,
      lens: instance?.lens ?? false,
    };
  });
}

/** The op of a module's result: its last, but not a number computed beside the result, such as an auxiliary loss. */
function resultOf(ops: number[], graph: Structure): number {
  const last = ops.reduce((a, b) => Math.max(a, b), -1);
  if (graph.output(last)?.shape.length !== 0) return last;
  const inside = new Set(ops);
  const leaves = (id: number): boolean => graph.usesOf(id).some((use) => !inside.has(use.node));
  const larger = ops.filter((id) => (graph.output(id)?.shape.length ?? 0) > 0 && leaves(id));
  return larger.reduce((a, b) => Math.max(a, b), larger.length > 0 ? -1 : last);
}

/** The ops of a module without those that a checkpoint runs again, if there are others. */
function firstRun(ops: number[], graph: Structure): number[] {
  const own = ops.filter((id) => !graph.nodes.get(id)?.recomputed);
  return own.length > 0 ? own : ops;
}

function progressOf(ops: number[], graph: Structure, state: State): NonNullable<Card["progress"]> {
  let [ran, back, recorded] = [0, 0, 0];
  for (const id of ops) {
    const known = state.nodes.get(id);
    if (known) ran += 1;
    if (known?.entered) back += 1;
    if (graph.nodes.get(id)?.recorded !== false) recorded += 1;
  }
  return { ran, back, recorded, total: ops.length };
}

function modulePhase(progress: NonNullable<Card["progress"]>, ops: number[], state: State): Phase {
  if (progress.ran === 0) return "absent";
  const running = state.backward && !state.backward.finished ? state.backward.node : null;
  if (running !== null && ops.includes(running)) return "running";
  return progress.back > 0 && progress.back === progress.recorded ? "done" : "forward";
}
