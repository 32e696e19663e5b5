/**
 * One number for each box and line, which colours the picture: gradient norm, weight update, bytes, time, NaN and
 * infinities. If a number is unknown, it is null and the box has no colour.
 */
import type { Value } from "../protocol";
import { opsIn } from "./card";
import { bytes, number } from "./format";
import { isRankSegment } from "./ranks";
import { gradientAt, type NodeState, type State } from "./state";
import type { Structure } from "./structure";
import { broken, grid, norm } from "./values";
import { type Item, type Module, ROOT, type Visible } from "./visible";
import { english, grouped, t } from "../language/text";

export const METRICS = ["gradient", "update", "bytes", "time", "nonfinite"] as const;
/** `change` compares two steps, by the chosen measure. */
export type Metric = (typeof METRICS)[number] | "change";

export const isMetric = (text: string | null): text is Metric => (METRICS as readonly (string | null)[]).includes(text);

/** For each metric, its name, the short name for its button, and its descriptions for a box and a fold. */
export const WORDS: Record<Metric, { name: string; short: string; means: string; fold: string }> = {
  gradient: {
    ...{ name: english("gradient norm"), short: english("gradient") },
    ...{ means: english("Norm of the gradient that arrived"), fold: english("its largest") },
  },
  update: {
    ...{ name: english("update to weight"), short: english("update") },
    means: english(
      "How far the optimiser moved a weight, as a share of the weight’s norm; an op shows that of its weights",
    ),
    fold: english("its largest"),
  },
  bytes: {
    ...{ name: english("bytes"), short: english("bytes") },
    ...{ means: english("Memory of an op’s result; a view has none of its own"), fold: english("their sum") },
  },
  time: {
    ...{ name: english("time"), short: english("time") },
    means: english("Time of forward and of the last backward, including Python’s own code and the recording"),
    fold: english("their sum"),
  },
  nonfinite: {
    ...{ name: english("not finite"), short: english("NaN, ∞") },
    ...{ means: english("NaN and infinite elements of value and gradient"), fold: english("their sum") },
  },
  change: {
    ...{ name: english("change"), short: english("change") },
    ...{
      means: english("The factor of change compared with the other step"),
      fold: english("its largest"),
    },
  },
};

/** Below this value a weight learns nothing. */
export const VANISHED = 1e-6;

/** For the keys of ops and leaves in the picture, the factor of change, at least 1. */
interface Changes {
  number: number;
  times: ReadonlyMap<string, number>;
}

const changes = new WeakMap<Structure, Changes>();

/** Sets the factors that `change` shows. */
export function keepChanges(graph: Structure, times: ReadonlyMap<string, number>): void {
  changes.set(graph, { number: (changes.get(graph)?.number ?? 0) + 1, times });
}

const changeOf = (key: string, graph: Structure): number | null => changes.get(graph)?.times.get(key) ?? null;

const canVanish = (metric: Metric): boolean => metric === "gradient" || metric === "update";

/** The ramp spans at most this many powers of ten. */
const MOST_DECADES = 12;

// What a box tells --------------------------------------------------------------------------------------------------

export function ofOp(metric: Metric, id: number, graph: Structure, state: State): number | null {
  if (metric === "change") return changeOf(graph.opKey(id), graph);
  const known = state.nodes.get(id);
  if (!known) return null;
  if (metric === "gradient") return gradientOf(id, graph, state);
  if (metric === "update") return largest(weightsOf(id, graph).map((leaf) => updateOf(leaf, graph, state)));
  if (metric === "time") return isRankSegment(graph.scopeOf(id)[0] ?? "") ? null : timeOf(known);
  const outputs = graph.nodes.get(id)?.outputs ?? [];
  if (metric === "bytes") return sum(outputs.map((out) => (out.base != null ? 0 : (out.bytes ?? null))));
  return sum([brokenIn(known.output), brokenIn(gradientAt(state, id))]);
}

export function ofLeaf(metric: Metric, id: number, graph: Structure, state: State): number | null {
  if (metric === "change") return changeOf(graph.leafKey(id), graph);
  const known = state.tensors.get(id);
  if (!known || metric === "time") return null;
  if (metric === "gradient") return length(known.grad);
  if (metric === "update") return updateOf(id, graph, state);
  if (metric === "bytes") return graph.tensors.get(id)?.bytes ?? null;
  return sum([brokenIn(known.value), brokenIn(known.grad)]);
}

/** The amount of several ops: the largest gradient or update; other metrics are added. */
export const ofOps = (metric: Metric, ids: readonly number[], graph: Structure, state: State): number | null =>
  together(
    metric,
    ids.map((id) => ofOp(metric, id, graph, state)),
  );

export const together = (metric: Metric, amounts: readonly (number | null)[]): number | null =>
  canVanish(metric) || metric === "change" ? largest(amounts) : sum(amounts);

const told = new WeakMap<State, Map<string, number | null>>();

/**
 * The amount of an item, computed once for each moment, because every piece of the picture that it touches needs it.
 */
export function ofItem(metric: Metric, item: Item, graph: Structure, visible: Visible, state: State): number | null {
  let mine = told.get(state);
  if (!mine) told.set(state, (mine = new Map()));
  const name = `${metric}${metric === "change" ? changes.get(graph)?.number : ""} ${item.key}`;
  const known = mine.get(name);
  if (known !== undefined) return known;
  const module = visible.modules.get(item.key);
  const amount =
    item.kind === "op"
      ? ofOp(metric, item.id, graph, state)
      : item.kind === "leaf"
        ? ofLeaf(metric, item.id, graph, state)
        : module
          ? ofOps(metric, opsIn(module), graph, state)
          : null;
  mine.set(name, amount);
  return amount;
}

/** The amount of each instance on a stack's card; null if it has not run. */
export function ofInstances(metric: Metric, stack: Module, graph: Structure, state: State): (number | null)[] {
  const single = stack.modules.length === 0;
  return stack.stack!.names.map((_, i) => {
    const instance = stack.modules[i];
    const ops = single ? stack.ops.slice(i, i + 1) : instance ? opsIn(instance) : [];
    return ofOps(metric, ops, graph, state);
  });
}

/** Which of an edge's two lines shows the metric. */
export type Lane = "forward" | "backward";

/** The largest amount of an edge's wires. */
export function ofWires(
  metric: Metric,
  lane: Lane,
  wires: readonly string[],
  graph: Structure,
  state: State,
): number | null {
  return largest(wires.map((wire) => ofWire(metric, lane, wire, graph, state)));
}

function ofWire(metric: Metric, lane: Lane, name: string, graph: Structure, state: State): number | null {
  const [key, index] = name.split(".");
  const node = graph.nodeOfKey(key!);
  const wire = node === null ? undefined : graph.wires.get(node)?.[Number(index)];
  const known = node === null ? undefined : state.nodes.get(node);
  if (!wire || !known) return null;
  const tensor = wire.from ? graph.output(wire.from.node, wire.from.output) : graph.tensors.get(wire.leaf ?? -1);
  if (metric === "change") return null;
  if (lane === "backward") {
    const sent = known.sent.get(wire.index)?.value ?? null;
    if (metric === "gradient") return length(sent);
    if (metric === "update") return wire.leaf === null ? null : updateOf(wire.leaf, graph, state);
    return metric === "nonfinite" ? brokenIn(sent) : null;
  }
  if (metric === "bytes") return tensor?.bytes ?? null;
  return metric === "nonfinite" ? brokenIn(known.inputs[wire.index] ?? null) : null;
}

/** The norm of a value; NaN if it has a NaN or an infinity. */
const length = (value: Value | null): number | null => (broken(value) ? NaN : norm(value));

/** The gradient norm of all outputs together. */
function gradientOf(id: number, graph: Structure, state: State): number | null {
  const lengths = (graph.nodes.get(id)?.outputs ?? []).flatMap((_, i) => length(gradientAt(state, id, i)) ?? []);
  return lengths.length === 0 ? null : Math.hypot(...lengths);
}

const weightsOf = (id: number, graph: Structure): number[] =>
  (graph.wires.get(id) ?? []).flatMap(({ leaf }) => (leaf !== null && graph.tensors.get(leaf)?.parameter ? leaf : []));

const updates = new WeakMap<Value, number | null>();

/** The update, from elements before and after; null if they are unknown or nothing was written. */
function updateOf(leaf: number, graph: Structure, state: State): number | null {
  const [before, known] = [graph.tensors.get(leaf)?.value, state.tensors.get(leaf)];
  const after = known?.value;
  if (!before || !after || before === after || known.mutations.length === 0) return null;
  const done = updates.get(after);
  if (done !== undefined) return done;
  const [p, q] = [grid(before), grid(after)];
  let ratio: number | null = null;
  if (p && q && p.data.length === q.data.length) {
    let [moved, size] = [0, 0];
    for (let i = 0; i < p.data.length; i++) {
      moved += (q.data[i]! - p.data[i]!) ** 2;
      size += p.data[i]! ** 2;
    }
    ratio = moved === 0 ? 0 : size === 0 ? null : Math.sqrt(moved / size);
  }
  updates.set(after, ratio);
  return ratio;
}

function timeOf({ seconds, entered, sent }: NodeState): number | null {
  const back = entered === null ? null : Math.max(0, ...[...sent.values()].map(({ t }) => t - entered.t));
  return sum([seconds, back]);
}

const brokenIn = (value: Value | null): number | null => (value ? (value.nan ?? 0) + (value.inf ?? 0) : null);

/** The largest amount; NaN counts as larger than any number. */
function largest(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((a) => a !== null);
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
}

function sum(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((a) => a !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b);
}

// The ramp ----------------------------------------------------------------------------------------------------------

/** The meaning of a step's colours, the same at every moment of it. */
export interface Range {
  metric: Metric;
  /** The ends of the ramp, as powers of `base`. */
  base: number;
  low: number;
  high: number;
  /** The smallest and largest amount above zero of any op or leaf; null if there is none. */
  least: number | null;
  most: number | null;
  /** How many ops and leaves have a number, have none, have vanished, or have NaN or infinities. */
  taken: number;
  missing: number;
  vanished: number;
  broken: number;
}

/** `state` is the end of the step, so that colours do not change during playback. */
export function rangeOf(metric: Metric, graph: Structure, visible: Visible, state: State): Range {
  const leaves = metric === "time" ? [] : [...graph.leaves.keys()].filter((id) => counts(metric, id, graph));
  const ops = [...graph.nodes.keys()].filter((id) => metric !== "gradient" || graph.nodes.get(id)!.recorded !== false);
  const amounts = [
    ...(metric === "update" ? [] : ops).map((id) => ofOp(metric, id, graph, state)),
    ...leaves.map((id) => ofLeaf(metric, id, graph, state)),
  ];
  const known = amounts.filter((a) => a !== null);
  const positive = known.filter((a) => a > 0 && a < Infinity);
  const least = positive.length > 0 ? positive.reduce((a, b) => Math.min(a, b)) : null;
  const most = positive.length > 0 ? positive.reduce((a, b) => Math.max(a, b)) : null;
  const folds = canVanish(metric) ? [] : foldsOf(metric, graph, visible, state);
  const base = metric === "bytes" ? 2 : 10;
  const power = (x: number): number => Math.log(x) / Math.log(base);
  const high = Math.ceil(power(Math.max(most ?? 1, ...folds)) - 1e-9);
  const low = Math.max(high - MOST_DECADES * (10 / base), Math.min(high - 1, Math.floor(power(least ?? 1) + 1e-9)));
  return {
    ...{ metric, base, low, high, least, most },
    taken: known.length,
    missing: amounts.length - known.length,
    vanished: canVanish(metric) ? known.filter((a) => a < VANISHED).length : 0,
    broken: metric === "nonfinite" ? positive.length : known.filter(Number.isNaN).length,
  };
}

/** Whether a leaf can have this metric at all. */
function counts(metric: Metric, leaf: number, graph: Structure): boolean {
  const tensor = graph.tensors.get(leaf);
  if (metric === "gradient") return tensor?.requires_grad === true;
  return metric === "update" ? tensor?.parameter === true : tensor !== undefined;
}

const foldsOf = (metric: Metric, graph: Structure, visible: Visible, state: State): number[] =>
  [...visible.modules.values()].flatMap((m) => (m.key === ROOT ? [] : (ofOps(metric, opsIn(m), graph, state) ?? [])));

/** The position of an amount on the ramp, from 0 to 1; null for no colour. */
export function shareOf(amount: number | null, { base, low, high }: Range): number | null {
  if (amount === null || Number.isNaN(amount)) return null;
  if (amount <= 0) return 0;
  return Math.max(0, Math.min(1, (Math.log(amount) / Math.log(base) - low) / (high - low)));
}

/** The look of a box or a line. */
export interface Mark {
  /** Position on the ramp; null for no colour. */
  share: number | null;
  vanished: boolean;
  /** It has a NaN or an infinity, and so no position on the ramp. */
  broken: boolean;
  text: string;
}

export function markOf(amount: number | null, range: Range): Mark {
  const { metric } = range;
  const none = metric === "nonfinite" && amount === 0;
  return {
    share: none ? null : shareOf(amount, range),
    vanished: amount !== null && canVanish(metric) && amount < VANISHED,
    broken: amount !== null && Number.isNaN(amount),
    text: said(metric, amount),
  };
}

/** Width of a line, from 1 to 8 pixels. */
export const widthOf = (share: number | null): number => (share === null ? 1 : 1 + 7 * share);

/** Four numbers along the ramp, rounded if possible. */
export function ticksOf({ base, low, high }: Range): { share: number; amount: number }[] {
  return [0, 1, 2, 3].map((i) => {
    const exact = low + (i / 3) * (high - low);
    const power = high - low >= 3 ? Math.round(exact) : exact;
    return { share: (power - low) / (high - low), amount: base ** power };
  });
}

// Words -------------------------------------------------------------------------------------------------------------

export function said(metric: Metric, amount: number | null): string {
  if (amount === null) return "";
  if (Number.isNaN(amount)) return "NaN";
  if (metric === "bytes") return bytes(Math.round(amount));
  if (metric === "time") return seconds(amount);
  if (metric === "change") return t("{number}-fold", { number: number(amount, 3) });
  if (metric === "nonfinite") return amount === 0 ? t("finite") : grouped(amount);
  return small(amount) ?? number(amount, 3);
}

/** A small number as a power of ten, which is shorter and easier to read. */
const small = (x: number): string | null => (x > 0 && x < 1e-3 ? x.toExponential(1).replace("-", "−") : null);

/** A round number of the ramp: 1e−8, 0.01, 2.0 KiB. */
export function tickText(metric: Metric, amount: number): string {
  if (metric === "bytes" || metric === "time") return said(metric, amount);
  if (metric === "change") return `${number(amount, 2)}×`;
  return (small(amount) ?? number(amount, 2)).replace(/\.0(?=e|$)/, "").replace(/(\.\d*[1-9])0+$/, "$1");
}

function seconds(t: number): string {
  if (t < 1e-3) return `${number(t * 1e6, t < 1e-5 ? 2 : 3)} µs`;
  return t < 1 ? `${number(t * 1e3, 3)} ms` : `${number(t, 3)} s`;
}

/** Why a box has no colour. */
export const plainWords = (metric: Metric): string =>
  metric === "change" ? t("equal or not recorded") : t("not recorded");

/** The legend as a sentence: the range of colours in this step, and what has none. */
export const summary = (range: Range): string => `${t(WORDS[range.metric].name)}: ${contentOf(range)}`;

/** The same without the name of its metric. */
export function contentOf(range: Range): string {
  const { metric, least, most, taken, missing, vanished } = range;
  if (taken === 0) return metric === "change" ? t("nothing changed") : t("no number was recorded in this step");
  const parts: string[] = [];
  if (metric === "nonfinite")
    parts.push(range.broken === 0 ? t("all that was recorded is finite") : t("in {count}", { count: range.broken }));
  else if (least !== null && most !== null)
    parts.push(
      least === most
        ? said(metric, most)
        : t("{least} to {most}", { least: said(metric, least), most: said(metric, most) }),
    );
  if (vanished > 0) parts.push(t("{some} of {all} vanished", { some: grouped(vanished), all: grouped(taken) }));
  if (range.broken > 0 && metric !== "nonfinite") parts.push(`${grouped(range.broken)} NaN`);
  if (missing > 0) parts.push(`${grouped(missing)} ${plainWords(metric)}`);
  return parts.join(", ");
}
