/** The modules of a step as a tree, with repeated ones stacked, and which of them are open at first. */
import { moduleName, moduleType } from "./format";
import { functionName, Functions, isFunction } from "./functions";
import { groupLines, isLines } from "./lines";
import { isRank, makeModule, type Module, rankOf, ROOT } from "./module";
import { stackRepeats } from "./repeats";
import { ASIDE, isAside, type Structure } from "./structure";

/** Modules whose state differs from the default: `true` folded, `false` open. */
export type Folds = ReadonlyMap<string, boolean>;

/** What to show, in addition to the folds chosen by the user. */
export interface Wish {
  /** The number of boxes that can be read in the pane. */
  boxes: number;
  /** The acting op: the instance of a stack that contains it is drawn open. */
  focus: number | null;
  /** The folds around the op are opened too, because the moment is viewed, rather than passing by. */
  deep: boolean;
  /** Something is wrong with the op: every fold around it is opened. */
  alarm: boolean;
  /** For each stack, by key, the instance drawn beside it; null for none. */
  lenses: ReadonlyMap<string, string | null>;
  /** Whether one instance of a stack is drawn open beside it. */
  lens: boolean;
  /** There is no room beside the picture. */
  narrow: boolean;
  /** The pane in the picture's own pixels; null for any size. */
  room: { w: number; h: number } | null;
}

const OPEN_AT_FIRST = 60;
export const NO_WISH: Wish = {
  boxes: OPEN_AT_FIRST,
  focus: null,
  deep: false,
  alarm: false,
  lenses: new Map(),
  lens: false,
  narrow: false,
  room: null,
};

/** With at most this many ops, nothing is folded. */
export const SMALL = 40;

export function modulesOf(
  structure: Structure,
  folds: Folds,
  before: ReadonlyMap<string, Module> | null,
  wish: Wish = NO_WISH,
  like: ReadonlyMap<string, Module> | null = null,
): Map<string, Module> {
  const tree = arranged(structure, before, wish);
  const modules = copyOf(tree);
  const path = wish.focus === null ? [] : pathTo(tree, wish.focus).map((key) => modules.get(key)!);
  const size = Math.max(expected(structure), before?.get(ROOT)?.size ?? 0);
  fold(modules.get(ROOT)!, folds, before, wish, wish.deep ? path : [], size);
  if (wish.lens) openLenses(modules, folds, wish, path);
  if (like) foldAlike(modules, folds, like);
  return modules;
}

/**
 * Folds a running step like a complete one: the room that its first few ops leave will be needed. A step with more ops
 * than the complete one is of another kind.
 */
function foldAlike(modules: Map<string, Module>, folds: Folds, like: ReadonlyMap<string, Module>): void {
  if (modules.get(ROOT)!.size > like.get(ROOT)!.size) return;
  for (const module of modules.values()) {
    const twin = like.get(module.key);
    if (!twin || module.parent === null || folds.has(module.key)) continue;
    module.folded = twin.folded;
    module.lens = twin.lens && module.parent.stack !== null;
  }
}

/** The least number of ops expected: a net announces its modules when it is called. */
const expected = (structure: Structure): number =>
  Math.max(structure.nodes.size, ...[...structure.foretold.values()].map((modules) => modules.length));

const paths = new WeakMap<Module, Map<number, string>>();

/** Keys of the modules around an op, outermost first. */
function pathTo(tree: Module, op: number): string[] {
  let homes = paths.get(tree);
  if (!homes) {
    paths.set(tree, (homes = new Map()));
    const walk = (module: Module, around: string): void => {
      const here = around === "" ? module.key : `${around}\n${module.key}`;
      for (const id of module.ops) homes!.set(id, here);
      for (const inner of module.modules) walk(inner, here);
    };
    walk(tree, "");
  }
  return homes.get(op)?.split("\n") ?? [];
}

/** Draws one instance of each folded stack beside it: the one that the user chose, else the acting one. */
function openLenses(modules: Map<string, Module>, folds: Folds, wish: Wish, path: readonly Module[]): void {
  let left = Math.max(LEAST_LENS, wish.boxes / 3 - seenIn(modules.get(ROOT)!));
  for (const stack of modules.values()) {
    if (!stack.stack || !stack.folded || stack.modules.length === 0 || !isSeen(stack)) continue;
    const asked = wish.lenses.get(stack.key);
    const acting = path[path.indexOf(stack) + 1];
    const mine = path.includes(stack) && acting?.parent === stack ? acting : null;
    const chosen = asked === undefined ? (mine ?? stack.modules[0]!) : modules.get(asked ?? "");
    if (!chosen || chosen.parent !== stack) continue;
    const size = chosen.ops.length + chosen.modules.length;
    const needed = wish.alarm && chosen === mine;
    if (asked === undefined && !needed && size > Math.max(left, LEAST_LENS)) continue;
    chosen.lens = true;
    chosen.folded = false;
    left -= openWithin(chosen, folds, left, wish.deep ? path : [], wish.boxes);
  }
}

/** A lens may have this many boxes even in the smallest pane. */
const LEAST_LENS = 12;

/** Opens what fits in a lens, beginning with the kind that adds least; returns the number of visible boxes. */
function openWithin(lens: Module, folds: Folds, most: number, path: readonly Module[], boxes: number): number {
  const spacious = lens.size < 8 && boxes >= OPEN_AT_FIRST; // a frame around one op takes twice the width of its card
  let seen = lens.ops.length + lens.modules.length;
  let level = [...lens.modules];
  while (level.length > 0) {
    const next: Module[] = [];
    for (const kind of byCost(level)) {
      const more = kind.reduce((sum, m) => sum + m.ops.length + m.modules.length - 1, 0);
      const open = kind.every((m) => !m.stack && !isAside(m.segment)) && (more > 0 || spacious) && seen + more <= most;
      for (const module of kind) {
        module.folded = folds.get(module.key) ?? !(open || path.includes(module));
        if (module.folded) continue;
        seen += module.ops.length + module.modules.length - 1;
        next.push(...module.modules);
      }
    }
    level = next;
  }
  return seen;
}

const isSeen = (module: Module): boolean => {
  let inner = module;
  for (let m = module.parent; m; inner = m, m = m.parent) if (m.folded && !inner.lens) return false;
  return true;
};

function seenIn(module: Module): number {
  return module.ops.length + module.modules.reduce((sum, m) => sum + (m.folded ? 1 : seenIn(m)), 0);
}

/** The tree of a structure, which does not depend on folds. */
interface Tree {
  version: number;
  over: boolean;
  boxes: number;
  deep: boolean;
  before: ReadonlyMap<string, Module> | null;
  root: Module;
}

const trees = new WeakMap<Structure, Tree>();

function arranged(structure: Structure, before: ReadonlyMap<string, Module> | null, wish: Wish): Module {
  const { version, over } = structure;
  const { boxes, deep } = wish;
  const known = trees.get(structure);
  const same = known?.version === version && known.over === over;
  if (same && known.before === before && known.boxes === boxes && known.deep === deep) return known.root;
  const size = expected(structure);
  const seen = deep ? null : before;
  const large = size > SMALL;
  const called = structure.hasFunctions && (large || [...(seen?.values() ?? [])].some((m) => isFunction(m.segment)));
  const root = moduleTree(
    structure,
    before,
    called ? new Functions(structure, (path) => seen?.has(`${ROOT}/${path}`) ?? false) : null,
  );
  if (size > Math.min(SMALL, boxes) || hasStack(before)) stackRepeats(structure, root, before);
  if (large || seen) groupLines(structure, root, boxes, deep ? undefined : before);
  trees.set(structure, { version, over, boxes, deep, before, root });
  return root;
}

/** A copy of the tree, by key, outer modules before inner ones. */
function copyOf(root: Module): Map<string, Module> {
  const modules = new Map<string, Module>();
  const copy = (module: Module, parent: Module | null): Module => {
    const mine: Module = { ...module, parent, depth: parent ? parent.depth + 1 : 0, items: [], modules: [] };
    modules.set(mine.key, mine);
    mine.modules = module.modules.map((inner) => copy(inner, mine));
    return mine;
  };
  copy(root, null);
  return modules;
}

const hasStack = (before: ReadonlyMap<string, Module> | null): boolean =>
  [...(before?.values() ?? [])].some((m) => m.stack !== null);

function moduleTree(
  structure: Structure,
  before: ReadonlyMap<string, Module> | null,
  functions: Functions | null,
): Module {
  const root = makeModule(ROOT, "", null, 1);
  const modules = new Map([[ROOT, root]]);
  const sizes = isAllAside(structure) ? NO_SIZES : asideSizes(structure);
  const homes = new Map<readonly string[], Module>();
  for (const id of structure.nodes.keys()) {
    const scope = structure.scopeOf(id);
    const plain = functions === null || !structure.nodes.get(id)!.calls?.length;
    let home = plain ? homes.get(scope) : undefined;
    if (!home) {
      const shown = scopeShown(scope, sizes, before);
      home = homeIn(modules, root, plain ? shown : functions.with(id, shown), structure.numberOf(id));
      if (plain) homes.set(scope, home);
    }
    home.ops.push(id);
    for (let m: Module | null = home; m; m = m.parent) m.size += 1;
  }
  if (root.modules.some((m) => isRank(m.key))) root.modules.sort((a, b) => a.first - b.first);
  return root;
}

/** Ranks come first, in their own order rather than that of time. */
const BEFORE_ALL = 1e6;

/** The module of a scope, created if it is missing. */
function homeIn(modules: Map<string, Module>, root: Module, scope: readonly string[], first: number): Module {
  let module = root;
  for (const segment of scope) {
    const key = `${module.key}/${moduleName(segment)}`;
    let inner = modules.get(key);
    if (!inner) {
      inner = makeModule(key, segment, module, isRank(key) ? rankOf(key) - BEFORE_ALL : first);
      modules.set(key, inner);
      module.modules.push(inner);
    }
    module = inner;
  }
  return module;
}

/** One or two ops outside the graph need no group. */
const SMALL_ASIDE = 2;

/** Whether a short program requires no gradient at all: then its ops are not grouped as outside the graph. */
const isAllAside = (structure: Structure): boolean =>
  structure.nodes.size <= SMALL &&
  [...structure.nodes.keys()].every((id) => structure.scopeOf(id).at(-1)?.startsWith(ASIDE));

const NO_SIZES: ReadonlyMap<string, number> = new Map();

function asideSizes(structure: Structure): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const id of structure.nodes.keys()) {
    const scope = structure.scopeOf(id);
    if (!scope.at(-1)?.startsWith(ASIDE)) continue;
    const key = scope.join("/");
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return sizes;
}

/** The scope to show. A group in the step before is a group here, even while it is still short. */
function scopeShown(
  scope: readonly string[],
  sizes: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, Module> | null,
): readonly string[] {
  if (!scope.at(-1)?.startsWith(ASIDE)) return scope;
  if (before?.has([ROOT, ...scope.map(moduleName)].join("/"))) return scope;
  return (sizes.get(scope.join("/")) ?? 0) <= SMALL_ASIDE ? scope.slice(0, -1) : scope;
}

/**
 * Chooses folds. Small graphs are open. Large ones open level by level and kind by kind, so that equal modules look
 * equal, as long as the visible boxes fit on a page. A level with one module is always opened, unless it passes by
 * quickly and there are enough boxes beside it. A stack shows its members even when closed, and opens to closed members.
 */
function fold(
  root: Module,
  folds: Folds,
  before: ReadonlyMap<string, Module> | null,
  wish: Wish,
  path: readonly Module[],
  size: number,
): void {
  let level = [...root.modules];
  let seen = root.ops.length + level.length;
  const small = size <= Math.min(SMALL, wish.boxes);
  const most = wish.boxes;
  while (level.length > 0) {
    const next: Module[] = [];
    for (const kind of byCost(level)) {
      const more = kind.reduce((sum, m) => sum + m.ops.length + m.modules.length - 1, 0);
      const shut = kind.some((m) => m.stack !== null || m.parent?.stack || isAside(m.segment));
      const poor = seen < FEW && kind.length === 1 && more <= OPEN_AT_FIRST && isLargest(kind[0]!, level);
      const alone = level.length === 1 && (wish.deep || seen < FEW);
      const open = !shut && (small || (seen + more <= most && worth(kind, wish)) || alone || poor);
      if (open) seen += more;
      for (const module of kind) {
        const last = wish.lens ? undefined : before?.get(module.key)?.folded;
        module.folded = folds.get(module.key) ?? last ?? !(open || leads(module, path, wish.alarm));
        if (!module.folded) next.push(...module.modules);
      }
    }
    level = next;
  }
}

/** A picture with fewer boxes would show nothing of a program: the largest module is opened, whatever its size. */
const FEW = 8;

const isLargest = (module: Module, level: readonly Module[]): boolean =>
  module.modules.length > 0 && level.every((other) => other.size <= module.size);

/** Whether opening is useful: a module with one op shows as much closed. */
const worth = (kind: readonly Module[], wish: Wish): boolean => !wish.lens || kind.some((m) => m.size > 1);

/** Whether the acting op is inside the module, rather than in a stack, which shows it beside itself. */
const leads = (module: Module, path: readonly Module[], alarm: boolean): boolean =>
  path.includes(module) && module.stack === null && !module.parent?.stack && (alarm || !isAside(module.segment));

/** Modules grouped by type, those that add least to the picture first. */
function byCost(level: Module[]): Module[][] {
  const kinds = new Map<string, Module[]>();
  for (const module of level) {
    const type = kindOf(module);
    kinds.set(type, [...(kinds.get(type) ?? []), module]);
  }
  const cost = (kind: Module[]): number => kind.reduce((sum, m) => sum + m.ops.length + m.modules.length, 0);
  return [...kinds.values()].sort((a, b) => cost(a) - cost(b));
}

function kindOf(module: Module): string {
  if (module.stack) return `×${module.stack.of}`;
  if (module.parent?.stack || isLines(module.segment)) return `in ${module.parent!.key}`;
  if (isFunction(module.segment)) return functionName(module.segment);
  return module.segment.startsWith(ASIDE) ? ASIDE : moduleType(module.segment);
}
