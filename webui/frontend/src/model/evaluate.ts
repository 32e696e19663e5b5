/** A node's formulas with numbers, for one chosen element at one moment. */
import type { NodeRecord, Value } from "../protocol";
import {
  ARRIVED,
  type Binding,
  type Bindings,
  coloured,
  latexNumber,
  letterOf,
  substituted,
  symbolsOf,
} from "./formula";
import { gradientAt, type State } from "./state";
import { broadcastAt, type Element, grid } from "./values";
import { t, told } from "../language/text";

export interface Line {
  /** `a` for a gradient, "" for the forward formula. */
  input: string;
  symbolic: string;
  /** Left side and right side with numbers; null if numbers are not known, with the reason. */
  numeric: string | null;
  why: string;
}

/** The forward formula, and one for each input that gets a gradient. */
export function linesOf(node: NodeRecord, state: State, element: Element): Line[] {
  const bindings = bindingsAt(node, state, element);
  const colours = symbolsOf(node);
  const output = outputOf(state, node);
  const forward = line("", "y", node.formula ?? "", node, bindings, colours, broadcastAt(output, element), "value");
  const lines = node.formula ? [forward] : [];
  const known = state.nodes.get(node.id);
  for (const [input, latex] of Object.entries(node.gradients ?? {})) {
    const index = node.inputs.findIndex((i) => i.name === input);
    const sent = known?.sent.get(index);
    const result = sent?.value ? reducedAt(sent.value, output, element) : null;
    const words = WORDS.exec(latex)?.[1];
    if (words !== undefined) inWords(lines, letterOf(input), told(words));
    else if (HAS_LEFT_SIDE.test(latex)) lines.push(...jointly(latex, lines, node, bindings, colours));
    else lines.push(line(input, `\\bar ${letterOf(input)}`, latex, node, bindings, colours, result, "gradient"));
  }
  return lines;
}

/** Some formulas name their left side themselves, with indices: y_k = …, \\bar x_i = … */
const HAS_LEFT_SIDE = /^(\\bar\s*\{?[A-Za-z]\}?|y|[A-Za-z](?=_))(_(\{[^}]*\}|\w))?\s*=/;

/** A rule in words instead of a formula. */
const WORDS = /^\\text\{([^{}]*)\}$/;

/** Adds one sentence for all inputs that it applies to. */
function inWords(lines: Line[], letter: string, words: string): void {
  const left = `\\htmlClass{k-gradient}{\\bar ${letter}}`;
  const known = lines.find(({ why }) => why === words);
  if (!known) lines.push({ input: letter, symbolic: left, numeric: null, why: words });
  else if (!known.symbolic.includes(left)) known.symbolic += `,\\; ${left}`;
}

/** One text for the gradients of several inputs: each equation once, on its own line. */
function jointly(latex: string, lines: Line[], node: NodeRecord, bindings: Bindings, colours: Bindings): Line[] {
  return latex
    .split(/,\\;\s*(?=\\bar)/)
    .map((part, i) => line(`${latex} ${i}`, "", part, node, bindings, colours, null, "gradient"))
    .filter((made) => lines.every((known) => known.symbolic !== made.symbolic));
}

function line(
  input: string,
  left: string,
  latex: string,
  node: NodeRecord,
  bindings: Bindings,
  colours: Bindings,
  result: number | null,
  meaning: Binding["meaning"],
): Line {
  const side = HAS_LEFT_SIDE.test(latex) ? "" : `\\htmlClass{k-${meaning}}{${left}} = `;
  const symbolic = side + coloured(latex, colours);
  if (!node.elementwise) return { input, symbolic, numeric: null, why: "" };
  const right = substituted(latex, bindings);
  if (right === null)
    return { input, symbolic, numeric: null, why: meaning === "gradient" ? t("not yet: no gradient has arrived") : "" };
  const total = result === null ? "" : `${painted(result, meaning)} = `;
  return { input, symbolic, numeric: total + right, why: "" };
}

const painted = (x: number, meaning: Binding["meaning"]): string => `\\htmlClass{k-${meaning}}{${latexNumber(x)}}`;

export function bindingsAt(node: NodeRecord, state: State, element: Element): Bindings {
  const out = new Map<string, Binding>();
  const bind = (name: string, x: number | null, meaning: Binding["meaning"]): void => {
    if (x !== null) out.set(name, { number: x, meaning });
  };
  for (const [name, x] of Object.entries(node.params ?? {})) {
    if (typeof x === "number") bind(letterOf(name), x, "value");
  }
  bind("y", broadcastAt(outputOf(state, node), element), "value");
  for (const [index, input] of node.inputs.entries()) {
    const x = input.tensor == null ? constantOf(input.constant) : broadcastAt(inputOf(state, node, index), element);
    bind(letterOf(input.name), x, "value");
  }
  bind(ARRIVED, broadcastAt(gradientAt(state, node.id), element), "gradient");
  return out;
}

/** A constant that is a number: 2, −0.5; not None, not a slice. */
function constantOf(text: string | null | undefined): number | null {
  return text != null && /^-?[\d.]+(e[-+]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** The inputs as they were when the op ran. */
export const inputOf = (state: State, node: NodeRecord, index: number): Value | null =>
  state.nodes.get(node.id)?.inputs[index] ?? null;
export const outputOf = (state: State, node: NodeRecord): Value | null => state.nodes.get(node.id)?.output ?? null;

/** The number to show if a gradient was summed down: then it has fewer elements than the formula. */
function reducedAt(sent: Value, output: Value | null, element: Element): number | null {
  const [a, b] = [grid(sent), grid(output)];
  if (!a || !b || a.rows !== b.rows || a.cols !== b.cols) return null;
  return broadcastAt(sent, element);
}

export interface Term {
  left: number;
  right: number;
}

export interface Spelt {
  terms: Term[];
  bias: number | null;
  sum: number;
}

/**
 * For a product of matrices, the terms whose sum is the chosen element. `Affine` multiplies by the transposed weight.
 */
export function productTerms(node: NodeRecord, state: State, element: Element): Spelt | null {
  const affine = node.op === "Affine";
  if ((!["MatMul", "Mm"].includes(node.op) && !affine) || node.inputs.length < 2) return null;
  const [a, b] = [inputOf(state, node, 0), inputOf(state, node, 1)];
  const [p, q] = [grid(a), grid(b)];
  if (!p || !q || a?.kind !== "full" || b?.kind !== "full") return null;
  const [inner, cols] = affine ? [q.cols, q.rows] : [q.rows, q.cols];
  if (p.cols !== inner || element.row >= p.rows || element.col >= cols) return null;
  const right = (k: number): number => q.data[affine ? element.col * q.cols + k : k * q.cols + element.col]!;
  const terms = Array.from({ length: inner }, (_, k) => ({ left: p.data[element.row * p.cols + k]!, right: right(k) }));
  const bias = affine ? broadcastAt(inputOf(state, node, 2), { row: 0, col: element.col }) : null;
  return { terms, bias, sum: terms.reduce((s, t) => s + t.left * t.right, bias ?? 0) };
}
