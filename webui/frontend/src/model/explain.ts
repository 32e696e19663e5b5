/**
 * Describes a selection in one paragraph: the subject, its numbers, a cause if known, one consequence. It says only
 * what the records prove; screen readers read it.
 */
import { opsIn } from "./card";
import { expression, number, shape } from "./format";
import { detailOf, type Module, titleOf } from "./module";
import { ofLeaf } from "./overlay";
import { addedToOld, gradientAt, newest, phaseOf, type State, type TensorState } from "./state";
import type { Structure } from "./structure";
import { broken, norm, scalar } from "./values";
import { whyNone } from "./why";
import type { Place, Value } from "../protocol";
import { counted, english, t, told } from "../language/text";

/** The explanation of an op or a leaf; null for other keys. */
export function explain(graph: Structure, state: State, key: string): string | null {
  const [node, leaf] = [graph.nodeOfKey(key), graph.leafOfKey(key)];
  if (node !== null) return paragraph(ofOp(graph, state, node, key));
  return leaf === null ? null : paragraph(ofLeafSaid(graph, state, leaf, key));
}

export function explainModule(graph: Structure, state: State, module: Module): string {
  const ops = opsIn(module);
  const ran = ops.filter((id) => state.nodes.has(id));
  const back = ran.filter((id) => state.nodes.get(id)!.entered);
  const subject = {
    module: detailOf(module) ? `${titleOf(module)} (${detailOf(module)})` : titleOf(module),
    ops: counted(ops.length, "{n} op", "{n} ops"),
  };
  if (ran.length === 0) return paragraph([t("{module} has {ops}, none of which has run", subject)]);
  const last = Math.max(...ran);
  const gradient = gradientAt(state, last);
  return paragraph([
    t("{module} has {ops}: {ran} ran forward, {back} ran backward", { ...subject, ran: ran.length, back: back.length }),
    t("Its last, {op}, made {amount}", { op: graph.label(last), amount: amount(state.nodes.get(last)!.output) }),
    gradient &&
      (isOne(gradient)
        ? t("The gradient that arrived there is {number}", { number: amount(gradient) })
        : t("The gradient that arrived there has {amount}", { amount: amount(gradient) })),
    largestParameter(graph, state, ops),
  ]);
}

const paragraph = (sentences: readonly (string | null | false)[]): string =>
  sentences
    .filter((each) => each !== null && each !== false && each !== "")
    .map((each) => (/[.!?]$/.test(each as string) ? each : `${each}.`))
    .join(" ");

/** Whether a value is a single number. */
const isOne = (value: Value | null | undefined): boolean => scalar(value) !== null;

/** A single number, or the norm of a tensor. */
function amount(value: Value | null | undefined): string {
  if (!value) return t("numbers that were not recorded");
  if (value.kind === "text") return t("text");
  const single = scalar(value);
  if (single !== null) return number(single);
  if (broken(value))
    return counted(brokenIn(value), "{n} element that is NaN or infinite", "{n} elements that are NaN or infinite");
  const length = norm(value);
  return length === null ? t("numbers that were not recorded") : t("norm {norm}", { norm: number(length, 3) });
}

/** A phrase about a tensor's size: "of norm 2", "with 3 elements that are NaN or infinite". */
function size(value: Value | null | undefined): string {
  if (value && broken(value))
    return counted(
      brokenIn(value),
      "with {n} element that is NaN or infinite",
      "with {n} elements that are NaN or infinite",
    );
  const length = value ? norm(value) : null;
  return length === null ? t("of numbers that were not recorded") : t("of norm {norm}", { norm: number(length, 3) });
}

const brokenIn = (value: Value): number => (value.nan ?? 0) + (value.inf ?? 0);

// Ops ---------------------------------------------------------------------------------------------------------------

function ofOp(graph: Structure, state: State, id: number, key: string): (string | null)[] {
  const record = graph.nodes.get(id)!;
  const known = state.nodes.get(id);
  const out = record.outputs[0];
  const written = expression(record, graph.nameOf);
  const subject = `${record.op} #${graph.numberOf(id)}${written ? `, ${written},` : ""}`;
  if (!known) return [t("{op} has not run yet", { op: subject })];
  const name = out?.name ? `${out.name}, ` : "";
  const what =
    out && !isOne(known.output) && known.output?.kind !== "text"
      ? `${shape(out.shape)} ${size(known.output)}`
      : amount(known.output);
  return [
    t("{op} made {what}", { op: subject, what: name + what }),
    firstBroken(graph, state, id),
    ...backward(graph, state, id, key),
  ];
}

/** A sentence if the first NaN or infinity was made here. */
function firstBroken(graph: Structure, state: State, id: number): string | null {
  const known = state.nodes.get(id)!;
  if (!broken(known.output)) return null;
  const [message] = known.anomalies.map((anomaly) => anomaly.message);
  if (message) return told(message);
  const from = (graph.wires.get(id) ?? []).find((wire) => broken(known.inputs[wire.index]));
  if (from) return t("They were already in {tensor}", { tensor: graph.describeWire(from) });
  return known.inputs.every((value) => value !== null) ? t("All inputs were finite") : null;
}

function backward(graph: Structure, state: State, id: number, key: string): (string | null)[] {
  const known = state.nodes.get(id)!;
  const gradient = gradientAt(state, id);
  const phase = phaseOf(state, id);
  if (gradient === null)
    return [phase === "forward" || phase === "ready" ? (whyNone(graph, state, key)?.words ?? null) : null];
  const came = newest(known.arrived).filter((c) => !c.replaces);
  const sent = [...known.sent].flatMap(([index, { value }]) => (value ? [{ index, value }] : []));
  return [
    cameBack(came.length, gradient),
    sent.length === 0 ? null : passedOn(graph, id, gradient, sent),
    consequence(graph, state, id, gradient),
  ];
}

function cameBack(n: number, gradient: Value): string {
  if (n > 1)
    return isOne(gradient)
      ? t("{n} gradients came back and add to {number}", { n, number: amount(gradient) })
      : t("{n} gradients came back and add to one {size}", { n, size: size(gradient) });
  return isOne(gradient)
    ? t("The gradient that arrived is {number}", { number: amount(gradient) })
    : t("The gradient that arrived has {amount}", { amount: amount(gradient) });
}

function passedOn(
  graph: Structure,
  id: number,
  gradient: Value,
  sent: readonly { index: number; value: Value }[],
): string {
  const to = sent.slice(0, 2).map(({ index, value }) => {
    const wire = graph.wires.get(id)?.[index];
    const whom = wire ? graph.describeWire(wire) : t("an input");
    return isOne(value)
      ? t("{number} to {tensor}", { number: amount(value), tensor: whom })
      : t("a gradient {size} to {tensor}", { size: size(value), tensor: whom });
  });
  const [one = "", other = ""] = to;
  if (one === other && sent.length === 2) return t("It sent {what}, twice", { what: one });
  const both = to.length === 2 ? t("{one} and {other}", { one, other }) : one;
  const what =
    sent.length > 2
      ? counted(sent.length - 2, "{both} and more to {n} other input", "{both} and more to {n} other inputs", { both })
      : both;
  const [came, went] = [norm(gradient), norm(sent[0]!.value)];
  const less = sent.length === 1 && came !== null && went !== null && came > 0 && went < came;
  return less
    ? t("It sent {what}, {share} of it", { what, share: percent(went / came) })
    : t("It sent {what}", { what });
}

const percent = (share: number): string => `${number(100 * share, share < 0.001 ? 2 : 3)} %`;

/** The gradient as the effect of a small change of one number, as long as backward started at one scalar. */
function consequence(graph: Structure, state: State, id: number, gradient: Value): string | null {
  const [slope, start] = [scalar(gradient), state.backward?.start];
  const out = graph.output(id);
  if (slope === null || !Number.isFinite(slope) || out?.shape.length !== 0 || start?.roots.length !== 1) return null;
  if (state.nodes.get(id)!.entered?.run !== start.run) return null;
  const [root] = start.roots;
  if (root!.tensor == null || root!.tensor === out.id || scalar(root!.value) !== 1) return null;
  return t("If {tensor} grows by 0.01, {root} changes by about {change}", {
    tensor: graph.describe(out.id),
    root: graph.describe(root!.tensor),
    change: number(0.01 * slope, 3),
  });
}

// Leaves ------------------------------------------------------------------------------------------------------------

function ofLeafSaid(graph: Structure, state: State, id: number, key: string): (string | null)[] {
  const record = graph.tensors.get(id);
  const known = state.tensors.get(id);
  const name = graph.describe(id);
  const uses = graph.leaves.get(id)?.length ?? 0;
  const times = counted(uses, "once", "{n} times");
  const kind = record?.parameter ? t("a parameter") : record?.requires_grad ? t("a leaf") : t("data");
  const subject =
    record && record.shape.length > 0
      ? t("{name}, {kind} of {shape}, is used {times}", { name, kind, shape: shape(record.shape), times })
      : t("{name}, {kind}, is used {times}", { name, kind, times });
  const came = known ? newest(known.arrived).filter((c) => !c.replaces && !c.returned) : [];
  if (!known || came.length === 0) return [subject, whyNone(graph, state, key)?.words ?? null];
  const total = came.at(-1)!.total ?? (came.length === 1 ? came[0]!.value : null);
  const added = addedUp(came.length, total);
  const all =
    addedToOld(known) && known.before
      ? t("{added}, on top of the {amount} that was there", { added, amount: amount(known.before) })
      : added;
  return [`${subject}; ${all}`, rewritten(graph, known), moved(graph, state, id)];
}

function addedUp(count: number, total: Value | null): string {
  if (count === 1)
    return isOne(total)
      ? t("its gradient is {number}", { number: amount(total) })
      : t("its gradient has {amount}", { amount: amount(total) });
  const n = FEW[count - 2] === undefined ? count : t(FEW[count - 2]!);
  return isOne(total)
    ? t("the {n} gradients add to {number}", { n, number: amount(total) })
    : t("the {n} gradients add to one {size}", { n, size: size(total) });
}

/** Words for small counts, from two on. */
const FEW = [
  english("two"),
  english("three"),
  english("four"),
  english("five"),
  english("six"),
  english("seven"),
  english("eight"),
  english("nine"),
];

/** A sentence about hooks and clipping that changed the gradient. */
function rewritten(graph: Structure, { rewritten: changes, arrived }: TensorState): string | null {
  const last = changes.at(-1);
  if (last?.value) return madeIt(clipped(graph, last.at) ? t("Clipping") : lineOf(last.at), last.value);
  const replaced = arrived.findLast((c) => c.replaces);
  return replaced?.total ? madeIt(t("A hook"), replaced.total) : null;
}

const madeIt = (who: string, value: Value): string =>
  isOne(value)
    ? t("{who} made it {number}", { who, number: amount(value) })
    : t("{who} left it with {amount}", { who, amount: amount(value) });

const lineOf = (at: Place | null | undefined): string =>
  at ? t("Line {line}", { line: at.line }) : t("A change in place");

/** Whether the line that changed the gradient names clipping itself. */
function clipped(graph: Structure, at: Place | null | undefined): boolean {
  const code = at?.code ?? (at ? graph.sources.get(at.file)?.split("\n")[at.line - 1] : "");
  return /clip_(grad|value)/.test(code ?? "");
}

function moved(graph: Structure, state: State, id: number): string | null {
  const ratio = ofLeaf("update", id, graph, state);
  if (ratio === null) return null;
  const who = state.stepTaken?.optimizer ?? t("The optimiser");
  return ratio === 0
    ? t("{who} left it as it was", { who })
    : t("{who} moved it by {share} of its norm", { who, share: percent(ratio) });
}

// Modules -----------------------------------------------------------------------------------------------------------

function largestParameter(graph: Structure, state: State, ops: readonly number[]): string | null {
  const mine = new Set(ops);
  let best: { name: string; size: number } | null = null;
  let parameters = 0;
  for (const [id, uses] of graph.leaves) {
    if (!graph.tensors.get(id)?.parameter || !uses.some((use) => mine.has(use.node))) continue;
    parameters += 1;
    const size = norm(state.tensors.get(id)?.grad);
    if (size !== null && (best === null || size > best.size)) best = { name: graph.describe(id), size };
  }
  if (best === null) return null;
  return counted(
    parameters,
    "Its parameter {name} has a gradient of norm {norm}",
    "Of its {n} parameters, {name} has the largest gradient: norm {norm}",
    { name: best.name, norm: number(best.size, 3) },
  );
}
