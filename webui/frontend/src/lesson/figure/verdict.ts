/** A verdict as a picture, parsed from its message: the call, the result, and what was expected. */
import { english, t, told, translated } from "../../language/text";

export type Row = [name: string, text: string];

const ROW = /^ {2}(called|expected|came back|printed|at) {2,}/;
const INDENT = 13;
/** The names of the rows. */
const NAMES: Record<string, string> = {
  called: english("called"),
  expected: english("expected"),
  "came back": english("came back"),
  printed: english("printed"),
  at: english("at"),
};

/**
 * Parses a check's message into its words and the rows `called`, `expected` and so on, each with its indented lines.
 */
export function rowsOf(message: string): { words: string; rows: Row[] } {
  const lines = message.split("\n");
  const from = lines.findIndex((line) => ROW.test(line));
  if (from < 0) return { words: lines.join("\n"), rows: [] };
  const rows: Row[] = [];
  for (const line of lines.slice(from)) {
    const name = ROW.exec(line)?.[1];
    if (name) rows.push([name, line.replace(ROW, "")]);
    else if (rows.length > 0) rows.at(-1)![1] += `\n${line.slice(INDENT)}`;
  }
  return { words: lines.slice(0, from).join("\n"), rows };
}

/** A check's message in the language of the page, as far as it is translated. */
export function messageTold(message: string, translations: Record<string, string> = {}): string {
  const { words, rows } = rowsOf(translated(message, translations));
  const [start] = /^(?:\w+(?:\.\w+)*: )?not yet:?\s*/i.exec(words) ?? [""];
  const lines = rows.map(([name, text]) => {
    const indented = text.replaceAll("\n", `\n${" ".repeat(INDENT)}`);
    return `  ${t(NAMES[name]!).padEnd(INDENT - 2)}${indented}`;
  });
  return [start.replace(/not yet/i, (found) => t(found)) + told(words.slice(start.length)), ...lines].join("\n");
}

/** A value in Python's notation, parsed into the parts of a list, tuple, dictionary or tensor. */
export type Piece = { text: string; key?: string; inner?: Piece[] };

const OPEN: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** The parts between commas on the outermost level. */
export function split(text: string): string[] {
  const parts: string[] = [];
  let [depth, from, quote] = [0, 0, ""];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (quote) quote = sign === quote && text[i - 1] !== "\\" ? "" : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign in OPEN) depth++;
    else if (")]}".includes(sign)) depth--;
    else if (sign === "," && depth === 0) [parts[parts.length], from] = [text.slice(from, i), i + 1];
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter((part) => part !== "");
}

export function taken(text: string): Piece {
  const clean = text.trim().replace(/ of shape \([\d, ]*\)$/, "");
  const wrapped = /^(?:[\w.]+)?([([{])([\s\S]*)[)\]}]$/.exec(clean);
  if (!wrapped || !balanced(clean.slice(clean.indexOf(wrapped[1]!)))) return { text: clean };
  if (/^\w+\(/.test(clean) && !/^tensor\(|^[A-Z]\w*\(/.test(clean)) return { text: clean };
  const inner = split(wrapped[2]!).map((part) => {
    const keyed = /^('[^']*'|"[^"]*"|\w+)(?:: |=(?!=))([\s\S]+)$/.exec(part);
    return keyed ? { ...taken(keyed[2]!), key: keyed[1]!.replace(/^['"]|['"]$/g, "") } : taken(part);
  });
  const only = clean.startsWith("tensor(") && inner.length === 1 && inner[0]!.inner ? inner[0]!.inner : inner;
  return { text: clean, inner: only };
}

/** Whether the bracket at the start closes at the end, and not before. */
function balanced(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i]! in OPEN) depth++;
    else if (")]}".includes(text[i]!)) depth--;
    if (depth === 0) return i === text.length - 1;
  }
  return false;
}

/** The result beside what was expected, place by place. */
export interface Pair {
  place: string;
  found: string;
  wanted: string;
  same: boolean;
}

const MOST = 24;

export function pairs(found: string, wanted: string): Pair[] {
  const listed: Pair[] = [];
  const walk = (one: Piece | undefined, other: Piece | undefined, place: string): void => {
    const [a, b] = [one?.inner, other?.inner];
    if (a && b && a.length === b.length && a.length > 0)
      return a.forEach((part, i) => walk(part, b[i], `${place}${part.key ? `.${part.key}` : `[${i}]`}`));
    const [x, y] = [one?.text ?? "", other?.text ?? ""];
    listed.push({ place, found: x, wanted: y, same: alike(x, y) });
  };
  const strip = (text: string): string => text.replace(/\n\s*\^+\s*$/, "");
  walk(taken(strip(found)), taken(strip(wanted)), "");
  if (listed.length <= MOST) return listed;
  const first = listed.findIndex((pair) => !pair.same);
  const from = Math.max(0, Math.min(first - 2, listed.length - MOST));
  return listed.slice(from, from + MOST);
}

export function alike(one: string, other: string): boolean {
  const [a, b] = [Number(one), Number(other)];
  if (one !== "" && other !== "" && !Number.isNaN(a) && !Number.isNaN(b))
    return Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b));
  return one === other;
}

/** A small graph that the call is about: `d = a + b, c = a + d`. */
export interface Step {
  name: string;
  text: string;
  uses: string[];
}

export function graphIn(called: string): Step[] {
  const found = [...called.matchAll(/\b([a-z]\w{0,2}) = ([a-z]\w{0,2}) ([-+*]) ([a-z]\w{0,2})\b/g)];
  const steps: Step[] = [];
  const known = new Set<string>();
  for (const [, name, left, sign, right] of found) {
    for (const leaf of [left!, right!].filter((each) => !known.has(each))) {
      if (!known.has(leaf)) steps.push({ name: leaf, text: "", uses: [] });
      known.add(leaf);
    }
    if (known.has(name!)) continue;
    known.add(name!);
    steps.push({
      name: name!,
      text: `${left} ${sign === "*" ? "×" : sign} ${right}`,
      uses: [...new Set([left!, right!])],
    });
  }
  return steps;
}

/** The names in an order, if the result is one; else null. */
export function orderIn(found: string, steps: Step[]): string[] | null {
  const names = taken(found).inner?.map((piece) => piece.text.replace(/^['"]|['"]$/g, ""));
  const known = new Set(steps.map((step) => step.name));
  return names && names.length > 0 && names.every((name) => known.has(name)) ? names : null;
}

/** A valid order: each value after all that use it. */
export function working(steps: Step[]): string[] {
  const left = new Map(steps.map((step) => [step.name, steps.filter((each) => each.uses.includes(step.name)).length]));
  const order: string[] = [];
  const ready = steps.map((step) => step.name).filter((name) => left.get(name) === 0);
  while (ready.length > 0) {
    const name = ready.shift()!;
    order.push(name);
    for (const used of steps.find((step) => step.name === name)!.uses) {
      left.set(used, left.get(used)! - 1);
      if (left.get(used) === 0) ready.push(used);
    }
  }
  return order;
}

/** The gradients after processing the order up to some point. A contribution to a leaf that comes too late is lost. */
export interface Moment {
  grads: Map<string, number>;
  /** Names that were processed before all of their gradient had arrived. */
  early: Set<string>;
  sent: { from: string; to: string; late: boolean }[];
}

export function walk(steps: Step[], order: string[], count: number): Moment {
  const grads = new Map<string, number>([[steps.at(-1)!.name, 1]]);
  const early = new Set<string>();
  const sent: Moment["sent"] = [];
  const gone = new Set<string>();
  for (const name of order.slice(0, count)) {
    const users = steps.filter((step) => step.uses.includes(name));
    if (users.some((user) => !gone.has(user.name))) early.add(name);
    gone.add(name);
    for (const to of steps.find((step) => step.name === name)?.uses ?? []) {
      sent.push({ from: name, to, late: gone.has(to) });
      grads.set(to, (grads.get(to) ?? 0) + (grads.get(name) ?? 0));
    }
  }
  return { grads, early, sent };
}

/** A call as `name(argument, argument)`, with the exercise's names for the arguments. */
export interface Call {
  name: string;
  given: { name: string; text: string }[];
}

export function callIn(called: string, original: string): Call | null {
  const whole = /^([\w.]+)\(([\s\S]*)\)$/.exec(called.split("\nwhere")[0]!.trim());
  if (!whole) return null;
  const inside = new RegExp(`def ${whole[1]}\\(([^)]*)\\)`).exec(original)?.[1] ?? "";
  const names = split(inside).map((each) => each.split("=")[0]!.trim());
  return { name: whole[1]!, given: split(whole[2]!).map((text, i) => ({ name: names[i] ?? "", text })) };
}
