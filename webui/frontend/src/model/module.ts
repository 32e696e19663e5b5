/** A module of a step, or a group shown as one: a stack of equal modules, a pass of a loop. */
import { moduleName, moduleType } from "./format";
import { functionsOf, isFunction } from "./functions";
import type { Flat } from "./lines";
import { isAside, LANE, type Structure } from "./structure";
import { counted, english, t } from "../language/text";

export type ItemKind = "op" | "leaf" | "module" | "collective";

export interface Item {
  key: string;
  kind: ItemKind;
  /** Id of the node or tensor; -1 for others. */
  id: number;
  /** Key of the frame that contains it; "m" is the whole picture. */
  frame: string;
  /** The op beside which a leaf is drawn, if it is the only user: data left, parameters right. */
  host: string | null;
  side: "left" | "right" | null;
  /** The number of instances that the card of a stack lists. */
  cells?: number;
  /** Drawn as a small card, because every tensor of the picture is one number. */
  small?: boolean;
}

/** Equal modules, or passes of a loop, that are drawn as one. */
export interface Stack {
  /** The number of instances, and of children of each. */
  count: number;
  period: number;
  /** The name of an instance's kind: a type of module, an op, or a loop. */
  of: string;
  /** The instances: `blocks.0 … blocks.11`, or the lines of a loop. */
  members: string;
  /** The name of each instance, including those that have not run yet. */
  names: string[];
}

/** A module. It is a frame around its items when open, and an item itself when folded. */
export interface Module {
  key: string;
  /** The key without the call number, the same for every call of a module. */
  plain: string;
  segment: string;
  depth: number;
  parent: Module | null;
  modules: Module[];
  ops: number[];
  /** The number of ops inside, and the number of its first op in the step. */
  size: number;
  first: number;
  folded: boolean;
  /** Whether it is an instance of a folded stack, drawn open beside the stack's card. */
  lens: boolean;
  items: Item[];
  stack: Stack | null;
  /** Its own ops before some of them were grouped by lines. */
  flat: Flat | null;
}

export const ROOT = "m";

/** Names of groups that the program did not name. */
const GROUPS: [RegExp, string][] = [
  [/^no gradient( \(\d+\))?$/, english("no gradient")],
  [/^recomputed$/, english("recomputed")],
  [/^graph of the gradient$/, english("graph of the gradient")],
  [/^pass (\d+)$/, english("pass {n}")],
  [/^line (\d+)(?: \(\d+\))?$/, english("line {n}")],
  [/^lines ([\d–]+)(?: \(\d+\))?$/, english("lines {n}")],
  [/^rank (\d+)$/, english("rank {n}")],
  [/^Rank$/, english("Rank")],
  [/^Loop$/, english("Loop")],
  [/^Pass$/, english("Pass")],
];

/**
 * A group's name as shown; its key does not change. Groups without a gradient are numbered only in their keys: short
 * ones have no group of their own, so the numbers of the others mean nothing.
 */
export function spoken(name: string): string {
  for (const [pattern, text] of GROUPS) {
    const found = pattern.exec(name);
    if (found) return t(text, { n: found[1] ?? "" });
  }
  return name;
}

/** A module's name as shown: `blocks.3`, or `Block ×12` for a stack. */
export function titleOf(module: Module): string {
  if (module.stack) return `${spoken(module.stack.of)} ×${module.stack.count}`;
  return spoken(moduleName(module.segment));
}

/** The rest of its caption: its type, or the members of a stack. The name of a function says what it is. */
export function detailOf(module: Module): string {
  if (module.stack) return spoken(module.stack.members);
  return isFunction(module.segment) ? "" : spoken(moduleType(module.segment));
}

/** A module in one line of text. */
export const lineOf = (module: Module): string =>
  [titleOf(module), detailOf(module)].filter(Boolean).join(" ") + `, ${counted(module.size, "{n} op", "{n} ops")}`;

export const makeModule = (key: string, segment: string, parent: Module | null, first: number): Module => ({
  key,
  plain: key.replaceAll(/ \(\d+\)/g, ""),
  segment,
  depth: parent ? parent.depth + 1 : 0,
  parent,
  modules: [],
  ops: [],
  size: 0,
  first,
  folded: false,
  lens: false,
  items: [],
  stack: null,
  flat: null,
});

/** Whether a key is that of a lane itself. Modules inside a lane are laid out as usual. */
export const isLane = (key: string): boolean => key.startsWith(`${ROOT}/${LANE}`) && key.split("/").length === 2;

/** Whether a key is that of a rank's lane; see `ranks.ts`. */
export const isRank = (key: string): boolean => /^m\/rank \d+$/.test(key);
export const rankOf = (key: string): number => Number(key.split(" ")[1]);

export function commonModule(a: Module, b: Module): Module {
  let [x, y] = [a, b];
  while (x.depth > y.depth) x = x.parent!;
  while (y.depth > x.depth) y = y.parent!;
  while (x !== y) [x, y] = [x.parent!, y.parent!];
  return x;
}

/** The outermost folded module around a module, or itself. A lens is not inside its stack. */
export function foldedAround(module: Module): Module | null {
  let found: Module | null = null;
  let inner: Module | null = null;
  for (let m: Module | null = module; m; inner = m, m = m.parent) if (m.folded && !inner?.lens) found = m;
  return found;
}

/** The lens that contains a module, if any. */
export function lensAround(module: Module | null | undefined): Module | null {
  for (let m = module ?? null; m; m = m.parent) if (m.lens) return m;
  return null;
}

/** The module's path from the outermost module, as in a program: `model.h.6.mlp`. */
export function pathOf(module: Module): string {
  const names: string[] = [];
  for (let m: Module | null = module; m && m.parent; m = m.parent) {
    if (!m.stack) names.unshift(moduleName(m.segment));
    if (isRank(m.key)) break;
  }
  return names.join(".");
}

/** The modules and functions around an op: `net.blocks.3.gelu()`. */
export const pathAround = (id: number, graph: Structure): string =>
  [...graph.scopeOf(id).filter((each) => !isAside(each)), ...functionsOf(graph.nodes.get(id)!)]
    .map((each) => spoken(moduleName(each)))
    .join(".");
