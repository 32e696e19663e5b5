/**
 * A selection in one paragraph: the subject first, then its own numbers, a cause where one is known, one consequence.
 * It says only what the records prove, and is what a screen reader hears.
 */
import { opsIn } from "./card";
import { count, expression, number, shape } from "./format";
import { detailOf, type Module, titleOf } from "./module";
import { ofLeaf } from "./overlay";
import { addedToOld, gradientAt, newest, phaseOf, type State, type TensorState } from "./state";
import type { Structure } from "./structure";
import { broken, norm, scalar } from "./values";
import { whyNone } from "./why";
import type { Place, Value } from "../protocol";

/** Of an op or a leaf by its key; null for what is neither. */
export function explain(graph: Structure, state: State, key: string): string | null {
  const [node, leaf] = [graph.nodeOfKey(key), graph.leafOfKey(key)];
  if (node !== null) return paragraph(ofOp(graph, state, node, key));
  return leaf === null ? null : paragraph(ofLeafSaid(graph, state, leaf, key));
}

export function explainModule(graph: Structure, state: State, module: Module): string {
  const ops = opsIn(module);
  const ran = ops.filter((id) => state.nodes.has(id));
  const back = ran.filter((id) => state.nodes.get(id)!.entered);
  const first = `${titleOf(module)} ${detailOf(module) ? `(${detailOf(module)}) ` : ""}has ${count(ops.length, "op")}`;
  if (ran.length === 0) return paragraph([`${first}, none of which has run`]);
  const last = Math.max(...ran);
  const gradient = gradientAt(state, last);
  return paragraph([
    `${first}: ${ran.length} ran, ${back.length} went back`,
    `Its last, ${graph.label(last)}, made ${amount(state.nodes.get(last)!.output)}`,
    gradient && `The gradient that arrived there ${is(gradient)}`,
    largestParameter(graph, state, ops),
  ]);
}

const paragraph = (sentences: readonly (string | null | false)[]): string =>
  sentences
    .filter((each) => each !== null && each !== false && each !== "")
    .map((each) => (/[.!?]$/.test(each as string) ? each : `${each}.`))
    .join(" ");

/** The words for one number, and for many. */
const is = (value: Value | null | undefined): string => (isOne(value) ? `is ${amount(value)}` : `has ${amount(value)}`);
const gradientOf = (value: Value | null | undefined): string =>
  isOne(value) ? amount(value) : `a gradient ${withOrOf(value)} ${amount(value)}`;
const addTo = (value: Value | null | undefined): string =>
  isOne(value) ? `add to ${amount(value)}` : `add to one of ${amount(value)}`;
const makeIt = (value: Value | null | undefined): string =>
  isOne(value) ? `made it ${amount(value)}` : `left it with ${amount(value)}`;
const isOne = (value: Value | null | undefined): boolean => scalar(value) !== null;

/** "of norm 2", "with 3 elements that are NaN or infinite". */
const withOrOf = (value: Value | null | undefined): string => (broken(value ?? null) ? "with" : "of");

/** A number, or the norm of many. */
function amount(value: Value | null | undefined): string {
  if (!value) return "numbers that were not taken";
  if (value.kind === "text") return "text";
  const single = scalar(value);
  if (single !== null) return number(single);
  if (broken(value)) {
    const many = brokenIn(value);
    return `${count(many, "element")} that ${many === 1 ? "is" : "are"} NaN or infinite`;
  }
  const length = norm(value);
  return length === null ? "numbers that were not taken" : `norm ${number(length, 3)}`;
}

const brokenIn = (value: Value): number => (value.nan ?? 0) + (value.inf ?? 0);

// Ops ---------------------------------------------------------------------------------------------------------------

function ofOp(graph: Structure, state: State, id: number, key: string): (string | null)[] {
  const record = graph.nodes.get(id)!;
  const known = state.nodes.get(id);
  const out = record.outputs[0];
  const written = expression(record, graph.nameOf);
  const subject = `${record.op} #${graph.numberOf(id)}${written ? `, ${written},` : ""}`;
  if (!known) return [`${subject} has not run yet`];
  const name = out?.name ? `${out.name}, ` : "";
  const size = out && scalar(known.output) === null ? `${shape(out.shape)} ${withOrOf(known.output)} ` : "";
  return [
    `${subject} made ${name}${size}${amount(known.output)}`,
    firstBroken(graph, state, id),
    ...backward(graph, state, id, key),
  ];
}

/** Whether what is not finite began here. */
function firstBroken(graph: Structure, state: State, id: number): string | null {
  const known = state.nodes.get(id)!;
  if (!broken(known.output)) return null;
  const [message] = known.anomalies.map((anomaly) => anomaly.message);
  if (message) return message;
  const from = (graph.wires.get(id) ?? []).find((wire) => broken(known.inputs[wire.index]));
  if (from) return `They came in with ${graph.describe(from.input.tensor)}`;
  return known.inputs.every((value) => value !== null) ? "All that came in was finite" : null;
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
    came.length > 1
      ? `${came.length} gradients came back and ${addTo(gradient)}`
      : `The gradient that arrived ${is(gradient)}`,
    sent.length === 0 ? null : passedOn(graph, id, gradient, sent),
    consequence(graph, state, id, gradient),
  ];
}

function passedOn(
  graph: Structure,
  id: number,
  gradient: Value,
  sent: readonly { index: number; value: Value }[],
): string {
  const to = sent.slice(0, 2).map(({ index, value }) => {
    const tensor = graph.wires.get(id)?.[index]?.input.tensor;
    return `${gradientOf(value)} to ${tensor == null ? "an input" : graph.describe(tensor)}`;
  });
  if (to.length === 2 && to[0] === to[1] && sent.length === 2) return `It sent ${to[0]}, twice`;
  const more = sent.length > 2 ? ` and more to ${count(sent.length - 2, "other input")}` : "";
  const [came, went] = [norm(gradient), norm(sent[0]!.value)];
  const share =
    sent.length === 1 && came !== null && went !== null && came > 0 && went < came
      ? `, ${percent(went / came)} of it`
      : "";
  return `It sent ${to.join(" and ")}${more}${share}`;
}

const percent = (share: number): string => `${number(100 * share, share < 0.001 ? 2 : 3)} %`;

/** The slope as a step that a person could take: of one number, while backward has one scalar to go from. */
function consequence(graph: Structure, state: State, id: number, gradient: Value): string | null {
  const [slope, start] = [scalar(gradient), state.backward?.start];
  const out = graph.output(id);
  if (slope === null || !Number.isFinite(slope) || out?.shape.length !== 0 || start?.roots.length !== 1) return null;
  if (state.nodes.get(id)!.entered?.run !== start.run) return null;
  const [root] = start.roots;
  if (root!.tensor == null || root!.tensor === out.id || scalar(root!.value) !== 1) return null;
  return `If ${graph.describe(out.id)} grows by 0.01, ${graph.describe(root!.tensor)} changes by about ${number(0.01 * slope, 3)}`;
}

// Leaves ------------------------------------------------------------------------------------------------------------

function ofLeafSaid(graph: Structure, state: State, id: number, key: string): (string | null)[] {
  const record = graph.tensors.get(id);
  const known = state.tensors.get(id);
  const name = graph.describe(id);
  const uses = graph.leaves.get(id)?.length ?? 0;
  const times = uses === 1 ? "once" : `${uses} times`;
  const kind = record?.parameter ? "a parameter" : record?.requires_grad ? "a leaf" : "data";
  const size = record && record.shape.length > 0 ? ` of ${shape(record.shape)}` : "";
  const subject = `${name}, ${kind}${size}, is used ${times}`;
  const came = known ? newest(known.arrived).filter((c) => !c.replaces && !c.returned) : [];
  if (!known || came.length === 0) return [subject, whyNone(graph, state, key)?.words ?? null];
  const total = came.at(-1)!.total ?? (came.length === 1 ? came[0]!.value : null);
  const added = came.length === 1 ? `its gradient ${is(total)}` : `the ${words(came.length)} gradients ${addTo(total)}`;
  const old = addedToOld(known) && known.before ? `, on top of the ${amount(known.before)} that was there` : "";
  return [`${subject}; ${added}${old}`, rewritten(graph, known), moved(graph, state, id)];
}

const words = (n: number): string =>
  ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"][n] ?? `${n}`;

/** The gradient after hooks and clipping. */
function rewritten(graph: Structure, { rewritten: changes, arrived }: TensorState): string | null {
  const last = changes.at(-1);
  if (last?.value) return `${clipped(graph, last.at) ? "Clipping" : lineOf(last.at)} ${makeIt(last.value)}`;
  const replaced = arrived.findLast((c) => c.replaces);
  return replaced?.total ? `A hook ${makeIt(replaced.total)}` : null;
}

const lineOf = (at: Place | null | undefined): string => (at ? `Line ${at.line}` : "A change in place");

/** The line that wrote to the gradient says so itself. */
function clipped(graph: Structure, at: Place | null | undefined): boolean {
  const code = at?.code ?? (at ? graph.sources.get(at.file)?.split("\n")[at.line - 1] : "");
  return /clip_(grad|value)/.test(code ?? "");
}

function moved(graph: Structure, state: State, id: number): string | null {
  const ratio = ofLeaf("update", id, graph, state);
  if (ratio === null) return null;
  const who = state.stepTaken?.optimizer ?? "The optimiser";
  return ratio === 0 ? `${who} left it as it was` : `${who} moved it by ${percent(ratio)} of its norm`;
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
  const size = `norm ${number(best.size, 3)}`;
  if (parameters === 1) return `Its parameter ${best.name} has a gradient of ${size}`;
  return `Of its ${count(parameters, "parameter")}, ${best.name} has the largest gradient: ${size}`;
}
