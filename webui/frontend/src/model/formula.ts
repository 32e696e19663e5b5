/**
 * Puts numbers into formulas. A formula is LaTeX over an op's input names, `y` for its output and `\bar y` for the
 * incoming gradient. For an elementwise op each of these is one number, so that a learner can check the calculation.
 * Upper and lower case mean the same name: matrices have capital letters.
 */
import type { NodeRecord } from "../protocol";
import { number } from "./format";

/** A symbol's number, and its meaning, which decides its colour. */
export interface Binding {
  number: number;
  meaning: "value" | "gradient";
}

export type Bindings = ReadonlyMap<string, Binding>;

/** The name of the incoming gradient in formulas. */
export const ARRIVED = "\\bar y";

type Token = { kind: "symbol"; name: string; text: string } | { kind: "other"; text: string };

/** Splits a formula into symbols (`\bar y`, single letters and Greek letters for parameters) and all else. */
export function tokens(latex: string): Token[] {
  const out: Token[] = [];
  const pattern =
    /\\bar\s*\{?\s*([A-Za-z])\s*\}?|\\(alpha|beta|gamma)\b|(\\(?:text|mathrm|mathit|mathbf|operatorname)\s*\{[^}]*\}|\\[A-Za-z]+|\\.)|([A-Za-z])|[^\\A-Za-z]+/g;
  for (const match of latex.matchAll(pattern)) {
    const [text, barred, greek, command, letter] = match;
    if (barred !== undefined) out.push({ kind: "symbol", name: `\\bar ${barred.toLowerCase()}`, text });
    else if (greek !== undefined) out.push({ kind: "symbol", name: greek, text });
    else if (letter !== undefined) out.push({ kind: "symbol", name: letter, text });
    else out.push({ kind: "other", text: command ?? text });
  }
  return out;
}

/** Euler's number is no variable, unless an input has this name. */
const CONSTANTS = new Set(["e"]);

function bindingOf(name: string, bindings: Bindings): Binding | undefined {
  return bindings.get(name) ?? bindings.get(name.toLowerCase());
}

/** The formula with every bound symbol in its colour. */
export function coloured(latex: string, bindings: Bindings): string {
  return tokens(latex)
    .map((t) => {
      const bound = t.kind === "symbol" ? bindingOf(t.name, bindings) : undefined;
      return bound ? paint(t.text, bound.meaning) : t.text;
    })
    .join("");
}

/**
 * The formula with numbers for symbols, or null if a symbol has no number. A number with a sign or after a base is put
 * in brackets.
 */
export function substituted(latex: string, bindings: Bindings): string | null {
  const parts = tokens(latex);
  const out: string[] = [];
  let before: Before = "start";
  for (const [i, token] of parts.entries()) {
    if (token.kind === "other") {
      const text = token.text.replaceAll("\\odot", "\\cdot").replaceAll("\\oslash", "/");
      if (before === "factor" && OPENS_FACTOR.test(text)) out.push("\\cdot ");
      out.push(text);
      before = beforeAfter(text, before);
      continue;
    }
    const bound = bindingOf(token.name, bindings);
    if (!bound && CONSTANTS.has(token.name)) {
      out.push(before === "factor" ? "\\cdot " : "", token.text);
      before = "factor";
      continue;
    }
    if (!bound) return null;
    out.push(before === "factor" ? "\\cdot " : "", written(bound, before, parts[i + 1]));
    before = "factor";
  }
  return out.join("");
}

/** What comes before a number: a factor, which needs a product sign; nothing; or an operator. */
type Before = "start" | "factor" | "operator";

const OPENS_FACTOR = /^\s*(\(|\[|\\left|\\(sin|cos|tan|tanh|sinh|cosh|exp|log|ln|sqrt|frac|operatorname)\b)/;

function beforeAfter(text: string, before: Before): Before {
  const last = text
    .replace(/\\([,;:! ]|quad|text\s*\{[^}]*\})/g, (m) => (m.startsWith("\\text") ? "+" : ""))
    .trimEnd()
    .at(-1);
  if (last === undefined) return before;
  if (/[\d)\]]/.test(last)) return "factor";
  return /[({[,=|]/.test(last) ? "start" : last === "}" ? "factor" : "operator";
}

function written(bound: Binding, before: Before, after: Token | undefined): string {
  const text = latexNumber(bound.number);
  const raised = after?.kind === "other" && after.text.trimStart().startsWith("^");
  const signed = bound.number < 0 || text.includes("10^");
  const wrapped = raised || (signed && before !== "start") ? `\\left(${text}\\right)` : text;
  return paint(wrapped, bound.meaning);
}

/** Wrapped in braces, so that it can be an exponent or the argument of a fraction. */
const paint = (text: string, meaning: Binding["meaning"]): string => `{\\htmlClass{k-${meaning}}{${text}}}`;

export function latexNumber(x: number): string {
  if (Number.isNaN(x)) return "\\mathrm{NaN}";
  if (!Number.isFinite(x)) return x > 0 ? "\\infty" : "-\\infty";
  const text = number(x).replaceAll("−", "-");
  const [mantissa, exponent] = text.split("e");
  return exponent === undefined ? text : `${mantissa} \\cdot 10^{${exponent}}`;
}

/** Names whose letter in formulas is not their first. */
const LETTERS: Record<string, string> = {
  input: "x",
  exponent: "p",
  start: "a",
  end: "b",
  other: "b",
  negative_slope: "alpha",
};

/** The letter that formulas use for an input or a parameter. */
export const letterOf = (name: string): string =>
  LETTERS[name] ?? (name.length === 1 || /^(alpha|beta|gamma)$/.test(name) ? name : (name[0] ?? name));

/** The bindings of a formula's symbols, without numbers, for colouring. An input may itself be called y. */
export function symbolsOf(node: NodeRecord): Bindings {
  const value: Binding = { number: NaN, meaning: "value" };
  const out = new Map<string, Binding>([["y", value]]);
  for (const input of node.inputs) out.set(letterOf(input.name), value);
  out.set(ARRIVED, { number: NaN, meaning: "gradient" });
  return out;
}
