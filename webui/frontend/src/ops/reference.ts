/** The op reference: the server's data about each op, and the search. */
import { address, reason, ServerError } from "../protocol/client";

export interface Entry {
  name: string;
  about: string;
  formula: string;
  inputs: string[];
  settings: string[];
  gradients: Record<string, string>;
  samples: string[];
  view: boolean;
}

export interface Checked {
  passed: boolean;
  checkable: boolean;
  compared: number;
  words: string;
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(address(path), init);
  if (!response.ok) throw new ServerError(response.status, await reason(response));
  return (await response.json()) as T;
}

export const listOps = (): Promise<Entry[]> => json("api/ops");

export const checkOp = (name: string, sample: number): Promise<Checked> =>
  json(`api/ops/${encodeURIComponent(name)}/check?sample=${sample}`, { method: "POST" });

/** Ops whose name, words or formula contain every word of the query; matches of the name come first. */
export function findOps(ops: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const first = words[0];
  if (first === undefined) return [...ops];
  const text = (op: Entry): string => `${op.name} ${op.about} ${op.formula}`.toLowerCase();
  const rank = (op: Entry): number => {
    const name = op.name.toLowerCase();
    return name === first ? 0 : name.startsWith(first) ? 1 : name.includes(first) ? 2 : 3;
  };
  return ops.filter((op) => words.every((w) => text(op).includes(w))).sort((a, b) => rank(a) - rank(b));
}

/** The rules with their inputs: if gradients are computed together, one rule has several inputs. */
export function rulesOf(op: Entry): { inputs: string[]; rule: string }[] {
  const rules = new Map<string, string[]>();
  for (const [input, rule] of Object.entries(op.gradients)) rules.set(rule, [...(rules.get(rule) ?? []), input]);
  return [...rules].map(([rule, inputs]) => ({ rule, inputs }));
}

/** The left side and the rule: `\bar A = …`, unless the rule names its left side itself. */
export function gradientFormula(input: string, rule: string): string {
  if (rule.includes("=")) return rule;
  const name = input.length === 1 ? input : `\\mathit{${input.replaceAll("_", "\\_")}}`;
  return `\\bar{${name}} = ${rule}`;
}

export interface Piece {
  text: string;
  kind: "words" | "code" | "math";
}

/** A docstring's sentence in pieces: words, `code`, and :math:`formulas`. */
export function wordsOf(about: string): Piece[] {
  const found = about.split(/(:math:)?`([^`]+)`/);
  return found.flatMap((text, i): Piece[] => {
    if (i % 3 === 0) return text ? [{ text, kind: "words" }] : [];
    return i % 3 === 1 ? [] : [{ text, kind: found[i - 1] ? "math" : "code" }];
  });
}
