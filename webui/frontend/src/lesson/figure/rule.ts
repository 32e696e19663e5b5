/** Reads the graph of an exercise from its lesson, and animates a verdict on it.

    p = w * x; y = p - x; y.grad = grad; gives w.grad, x.grad

Each value has its formula. `y.grad = grad` says which argument is the incoming gradient, and `gives` lists the parts
of the answer: `x.grad`, `y` or `y.tangent`. A word before `gives` must occur in the call. */
import { type Formula, formula, type Names } from "./expression";
import { type Node, run as compute } from "./program";
import { alike, graphIn, pairs, type Piece, type Step, taken } from "./verdict";

export type Kind = "value" | "grad" | "tangent";

export interface Part {
  name: string;
  kind: Kind;
}

export interface Rule {
  steps: Step[];
  formulas: Map<string, Formula>;
  known: Names;
  arrives: { name: string; argument: string } | null;
  gives: { when: string; parts: Part[] }[];
  asks: Part | null;
  /** Its numbers are computed from the end backwards, as uses are counted. */
  counts: boolean;
}

const NUMBER = /^-?\d+\.?\d*(?:e[-+]?\d+)?$/;
/** Names in a formula, except functions and names after a dot. */
const USED = /(?<![\w.])[A-Za-z_]\w*(?![\w(])/g;

export function ruleOf(text: string): Rule | null {
  if (text.trim() === "") return null;
  const rule: Rule = { steps: [], formulas: new Map(), known: {}, arrives: null, gives: [], asks: null, counts: false };
  for (const line of text.split(";").map((each) => each.trim())) if (line) take(rule, line);
  return rule.steps.length > 0 ? rule : null;
}

/** A dual number is a value and a tangent. */
function hand(texts: Record<string, string>, name: string, text: string): void {
  const inner = /^Dual\(/.test(text) ? (taken(text).inner ?? []) : [];
  if (inner.length !== 2) texts[name] = text;
  else [texts[name], texts[`${name}.tangent`]] = [inner[0]!.text, inner[1]!.text];
}

const partOf = (text: string): Part => {
  const [name, kind] = text.trim().split(".") as [string, Kind | undefined];
  return { name, kind: kind ?? "value" };
};

function take(rule: Rule, line: string): void {
  const gives = /^(?:(.+?) )?gives (.+)$/.exec(line);
  const arrives = /^(\w+)\.grad = (\S+)$/.exec(line);
  const value = /^(\w+) = (.+)$/.exec(line);
  if (gives) rule.gives.push({ when: gives[1] ?? "", parts: gives[2]!.split(",").map(partOf) });
  else if (line.startsWith("asks ")) rule.asks = partOf(line.slice(5));
  else if (arrives) rule.arrives = { name: arrives[1]!, argument: arrives[2]! };
  else if (value && NUMBER.test(value[2]!)) rule.known[value[1]!] = Number(value[2]);
  else if (value) step(rule, value[1]!, value[2]!);
}

function step(rule: Rule, name: string, text: string): void {
  const uses = [...new Set(text.match(USED) ?? [])];
  for (const leaf of uses)
    if (!rule.steps.some((each) => each.name === leaf)) rule.steps.push({ name: leaf, text: "", uses: [] });
  rule.steps.push({ name, text, uses });
  try {
    rule.formulas.set(name, formula(text));
  } catch {
    /* The call has tensors, so the numbers are those of the verdict. */
  }
}

/** The rule that a call's text contains: `the gradients of a and b ..., where d = a * b and c = a + d`. */
export function ruleIn(called: string, wanted: string): Rule | null {
  const steps = graphIn(called);
  if (steps.length === 0) return null;
  const known = new Set(steps.map((each) => each.name));
  const grads = /\bgradients? of ((?:\w+(?:, | and )?)+)/.exec(called)?.[1] ?? /`(\w+)\.grad`/.exec(called)?.[1] ?? "";
  const names = grads.split(/, | and | /).filter((name) => known.has(name));
  const counted = (taken(wanted).inner ?? []).map((piece) => piece.key ?? "");
  const counts = counted.length > 0 && counted.every((name) => known.has(name));
  const parts: Part[] = counts
    ? counted.map((name) => ({ name, kind: "value" }))
    : names.map((name) => ({ name, kind: "grad" })); // prettier-ignore
  if (parts.length === 0) return null;
  const lines = steps
    .filter((each) => each.uses.length > 0)
    .map(({ name, text }) => `${name} = ${text.replaceAll("×", "*")}`);
  const rule = ruleOf(lines.join("; "))!;
  return { ...rule, gives: [{ when: "", parts }], counts };
}

/** All numbers of the graph, if its inputs are numbers; else null. The gradients are multiplied by the incoming one. */
export function numbersOf(rule: Rule, given: Names, arriving = 1): Node[] | null {
  const leaves = rule.steps.filter((each) => each.uses.length === 0).map((each) => each.name);
  const inputs = { ...rule.known, ...given };
  const lines = rule.steps.filter((each) => each.uses.length > 0);
  if (leaves.some((name) => inputs[name] === undefined)) return null;
  if (lines.some(({ name }) => !rule.formulas.has(name))) return null;
  const nodes = compute(
    {
      inputs: leaves.map((name) => ({ name, start: 0, from: 0, to: 0 })),
      lines: lines.map((each) => ({ ...each, formula: rule.formulas.get(each.name)! })),
      bars: [],
      mark: null,
      forward: false,
    },
    Object.fromEntries(leaves.map((name) => [name, inputs[name]!])),
  );
  for (const node of nodes) {
    node.grad *= arriving;
    for (const each of node.sent) each.amount *= arriving;
  }
  return nodes;
}

/** A part of the answer: what came back beside what was expected. */
export interface Compared extends Part {
  yours: string;
  wanted: string;
  same: boolean;
}

export interface Played {
  rule: Rule;
  parts: Compared[];
  nodes: Node[] | null;
  /** The arguments, by name. */
  given: Record<string, string>;
  arriving: string;
  /** The values in the order in which they act. */
  order: string[];
}

/** A verdict on the rule's graph; null if it does not fit the rule. */
export function playedRule(
  rule: Rule,
  called: string,
  given: { name: string; text: string }[],
  found: string,
  wanted: string,
): Played | null {
  const gives = rule.gives.find((each) => called.includes(each.when));
  const theirs = gives && partsOf(wanted, gives.parts);
  if (!gives || !theirs) return null;
  const yours = partsOf(found, gives.parts);
  const parts = gives.parts.map((part, i) => {
    const [one, other] = [scalar(yours?.[i] ?? found.split("\n")[0]!), scalar(theirs[i]!)];
    return { ...part, yours: one, wanted: other, same: pairs(one, other).every((each) => each.same) };
  });
  if (parts.every((part) => part.same)) return null;
  const leaves = rule.steps.filter((each) => each.uses.length === 0).map((each) => each.name);
  const texts: Record<string, string> = {};
  const unnamed = [...leaves, rule.arrives?.argument ?? ""];
  for (const { name, text } of given.filter((each) => each.name || !/^[A-Za-z_][\w.]*$/.test(each.text)))
    hand(texts, name || unnamed.shift() || "", scalar(text));
  for (const [, name, text] of called.matchAll(/\b(\w+) = (-?\d+\.?\d*(?:e[-+]?\d+)?)(?![\w.]| [-+*@])/g))
    texts[name!] ??= text!;
  for (const [, name, text] of called.matchAll(/\b(?:(\w+) = |times )(\[.*?\]+|-?\d[\d.]*(?=$|,))(?=[,;.]| |$)/gm))
    texts[name ?? "times"] ??= text!;
  const numbers: Names = {};
  for (const [name, text] of Object.entries(texts)) if (NUMBER.test(text)) numbers[name] = Number(text);
  const arriving = arrivingIn(rule, texts);
  const forward = !rule.counts && parts.every((part) => part.kind !== "grad");
  const names = rule.steps.map((each) => each.name);
  return {
    rule,
    parts,
    nodes: numbersOf(rule, numbers, NUMBER.test(arriving) ? Number(arriving) : 1),
    given: texts,
    arriving,
    order: forward ? names : backwards(rule.steps),
  };
}

/** The gradient that arrives at the end: an argument, a number in the lesson, or 1. */
export function arrivingIn(rule: Rule, texts: Record<string, string>): string {
  if (!rule.arrives) return "1";
  const { argument } = rule.arrives;
  return NUMBER.test(argument) ? argument : (texts[argument] ?? (argument === "times" ? "1" : ""));
}

/** The values ordered so that each comes after all that use it. */
export function backwards(steps: Step[]): string[] {
  return [
    ...steps.filter((each) => each.uses.length > 0).toReversed(),
    ...steps.filter((each) => !each.uses.length),
  ].map((each) => each.name);
}

/** The parts of an answer, in the order of their names; null if their number differs. */
function partsOf(text: string, parts: Part[]): string[] | null {
  const clean = text.replace(/\n\s*\^+\s*$/, "");
  if (parts.length === 1) return [clean];
  const inner: Piece[] = taken(clean).inner ?? [];
  const byName = parts.map((part) => inner.find((piece) => piece.key === part.name)?.text);
  if (byName.every((each) => each !== undefined)) return byName;
  return inner.length === parts.length ? inner.map((piece) => piece.text) : null;
}

/** A likely reason for a wrong number, from the contributions along the edges: a sentence's key and its blanks. */
export function reason(played: Played, part: Compared): [string, Record<string, string>] | null {
  const [yours, wanted] = [Number(part.yours), Number(part.wanted)];
  if (part.yours.trim() === "" || Number.isNaN(yours) || Number.isNaN(wanted)) return place(part);
  const near = (one: number, other: number): boolean => alike(String(one), String(other));
  const node = played.nodes?.find((each) => each.name === part.name);
  const sent = part.kind === "grad" && node && node.sent.length > 1 ? node.sent : [];
  const only = sent.find((each) => near(each.amount, yours));
  const other = only && sent.find((each) => each !== only);
  if (only && other) return ["onlyFrom", { user: only.user, other: other.user, amount: short(other.amount) }];
  if (wanted !== 0 && near(yours, -wanted)) return ["sign", {}];
  const swapped =
    part.kind === "grad" && played.parts.find((each) => each.name !== part.name && near(Number(each.wanted), yours));
  if (swapped) return ["swapped", { other: swapped.name }];
  const arriving = Number(played.arriving);
  if (part.kind === "grad" && played.rule.arrives && arriving && arriving !== 1 && near(yours * arriving, wanted))
    return ["notTimes", { argument: played.rule.arrives.argument, amount: short(arriving) }];
  if (wanted !== 0 && yours === 0) return ["nothing", {}];
  return null;
}

/** For tensors, the first element that differs. */
function place(part: Compared): [string, Record<string, string>] | null {
  const wrong = pairs(part.yours, part.wanted).find((each) => !each.same);
  if (!wrong?.place) return null;
  return ["place", { place: wrong.place, yours: wrong.found, wanted: wrong.wanted }];
}

const short = (value: number): string => String(Number(value.toPrecision(5))).replace("-", "−");

/** The number in a tensor with one element. */
const scalar = (text: string): string => /^tensor\(([^\s,()[\]]+)\)(?: of shape \(\))?$/.exec(text.trim())?.[1] ?? text;

/** The text of a box: a number, or a tensor's shape. */
export function inBox(text: string): string {
  const clean = scalar(text.trim());
  if (NUMBER.test(clean)) return short(Number(clean));
  if (/Error\b/.test(clean)) return "✗";
  const told = / of shape (\([\d, ]*\))$/.exec(clean)?.[1];
  if (told !== undefined) return told;
  const shape: number[] = [];
  for (let piece = taken(clean); piece.inner; piece = piece.inner[0] ?? { text: "" }) shape.push(piece.inner.length);
  if (shape.length > 0 && clean.length > 12) return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  return clean.length <= 12 ? clean : "…";
}
