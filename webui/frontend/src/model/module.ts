/** A module of a step, or what stands in for one: a stack of equal ones, a pass of a loop. */
import { moduleName, moduleType } from "./format";
import { LANE } from "./structure";
import { counted, english, language, t } from "../language/text";

export type ItemKind = "op" | "leaf" | "module" | "collective";

export interface Item {
  key: string;
  kind: ItemKind;
  /** Id of the node or tensor; -1 for others. */
  id: number;
  /** Key of the frame it lies in, "m" being the whole. */
  frame: string;
  /** A leaf that one op alone uses stands beside that op, data left, parameters right. */
  host: string | null;
  side: "left" | "right" | null;
  /** The number of instances that the card of a stack lists. */
  cells?: number;
  /** Drawn as a small card: every tensor of the picture is one number. */
  small?: boolean;
}

/** Equal modules, or passes of a loop, that stand together as one. */
export interface Stack {
  /** The number of instances, and of children of each. */
  count: number;
  period: number;
  /** The name of one: a type of module, an op, or a loop. */
  of: string;
  /** The instances: `blocks.0 … blocks.11`, or the lines of a loop. */
  members: string;
  /** The name of each, those that have not run yet too. */
  names: string[];
}

/** A module. It is a frame around its items when open, and an item itself when folded. */
export interface Module {
  key: string;
  /** The same for every call of a module. */
  plain: string;
  segment: string;
  depth: number;
  parent: Module | null;
  modules: Module[];
  ops: number[];
  /** Ops in it and in all that lies in it, and which op of the step was its first. */
  size: number;
  first: number;
  folded: boolean;
  /** One of a folded stack, drawn open beside the stack's card. */
  lens: boolean;
  items: Item[];
  stack: Stack | null;
}

export const ROOT = "m";

/** Names of groups that no program has called so. */
const GROUPS: [RegExp, string][] = [
  [/^no gradient$/, english("no gradient")],
  [/^no gradient \((\d+)\)$/, english("no gradient ({n})")],
  [/^recomputed$/, english("recomputed")],
  [/^graph of the gradient$/, english("graph of the gradient")],
  [/^pass (\d+)$/, english("pass {n}")],
  [/^line (\d+)$/, english("line {n}")],
  [/^lines ([\d–]+)$/, english("lines {n}")],
  [/^rank (\d+)$/, english("rank {n}")],
  [/^Rank$/, english("Rank")],
  [/^Loop$/, english("Loop")],
  [/^Pass$/, english("Pass")],
];

/** A group's name as it is read; its key in the picture and in the address bar stays. */
export function spoken(name: string): string {
  if (language() === "en") return name;
  for (const [pattern, text] of GROUPS) {
    const found = pattern.exec(name);
    if (found) return t(text, { n: found[1] ?? "" });
  }
  return name;
}

/** A module's name in the picture: `blocks.3`, or `Block ×12` for a stack. */
export function titleOf(module: Module): string {
  if (module.stack) return `${spoken(module.stack.of)} ×${module.stack.count}`;
  return spoken(moduleName(module.segment));
}

/** The rest of its caption: its type, or the modules of a stack. */
export function detailOf(module: Module): string {
  return spoken(module.stack ? module.stack.members : moduleType(module.segment));
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
});

/** A lane itself; what lies in it is laid out as anywhere else. */
export const isLane = (key: string): boolean => key.startsWith(`${ROOT}/${LANE}`) && key.split("/").length === 2;

/** All that one of several processes did; see `ranks.ts`. */
export const isRank = (key: string): boolean => /^m\/rank \d+$/.test(key);
export const rankOf = (key: string): number => Number(key.split(" ")[1]);

export function commonModule(a: Module, b: Module): Module {
  let [x, y] = [a, b];
  while (x.depth > y.depth) x = x.parent!;
  while (y.depth > x.depth) y = y.parent!;
  while (x !== y) [x, y] = [x.parent!, y.parent!];
  return x;
}

/** The outermost folded module around, the module itself included; what is drawn beside its stack is not in it. */
export function foldedAround(module: Module): Module | null {
  let found: Module | null = null;
  let inner: Module | null = null;
  for (let m: Module | null = module; m; inner = m, m = m.parent) if (m.folded && !inner?.lens) found = m;
  return found;
}

/** The lens that a module is drawn in, if it is in one. */
export function lensAround(module: Module | null | undefined): Module | null {
  for (let m = module ?? null; m; m = m.parent) if (m.lens) return m;
  return null;
}

/** Its path from the outermost module on, as a program would write it: `model.h.6.mlp`. */
export function pathOf(module: Module): string {
  const names: string[] = [];
  for (let m: Module | null = module; m && m.parent; m = m.parent) {
    if (!m.stack) names.unshift(moduleName(m.segment));
    if (isRank(m.key)) break;
  }
  return names.join(".");
}
