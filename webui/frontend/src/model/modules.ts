/**
 * The modules of a step as a tree, with what repeats in it stacked, and which of them are open at first.
 */
import { moduleName, moduleType } from "./format";
import { isRank, makeModule, type Module, rankOf, ROOT } from "./module";
import { stackRepeats } from "./repeats";
import { ASIDE, isAside, type Structure } from "./structure";

/** Modules that are not as they would be by default: `true` folded, `false` open. */
export type Folds = ReadonlyMap<string, boolean>;

const OPEN_AT_FIRST = 60;

export function modulesOf(
  structure: Structure,
  folds: Folds,
  before: ReadonlyMap<string, Module> | null,
): Map<string, Module> {
  const modules = copyOf(arranged(structure, before));
  fold(modules.get(ROOT)!, folds, before);
  return modules;
}

/** The tree of a structure is the same however it is folded. */
interface Tree {
  version: number;
  before: ReadonlyMap<string, Module> | null;
  root: Module;
}

const trees = new WeakMap<Structure, Tree>();

function arranged(structure: Structure, before: ReadonlyMap<string, Module> | null): Module {
  const known = trees.get(structure);
  if (known?.version === structure.version && known.before === before) return known.root;
  const root = moduleTree(structure);
  if (root.size > OPEN_AT_FIRST || hasStack(before)) stackRepeats(structure, root, before);
  trees.set(structure, { version: structure.version, before, root });
  return root;
}

/** A tree of one's own, by key, outer modules before inner ones. */
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

function moduleTree(structure: Structure): Module {
  const root = makeModule(ROOT, "", null, 1);
  const modules = new Map([[ROOT, root]]);
  const sizes = asideSizes(structure);
  const homes = new Map<readonly string[], Module>();
  for (const id of structure.nodes.keys()) {
    const scope = structure.scopeOf(id);
    const home = homes.get(scope) ?? homeIn(modules, root, scopeShown(scope, sizes), structure.numberOf(id));
    homes.set(scope, home);
    home.ops.push(id);
    for (let m: Module | null = home; m; m = m.parent) m.size += 1;
  }
  if (root.modules.some((m) => isRank(m.key))) root.modules.sort((a, b) => a.first - b.first);
  return root;
}

/** Ranks stand before all else, in their own order and not in that of time. */
const BEFORE_ALL = 1e6;

/** The module of a scope, made where it is missing. */
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

/** One or two ops outside of the graph need no box of their own. */
const SMALL_ASIDE = 2;

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

function scopeShown(scope: readonly string[], sizes: ReadonlyMap<string, number>): readonly string[] {
  if (!scope.at(-1)?.startsWith(ASIDE)) return scope;
  return (sizes.get(scope.join("/")) ?? 0) <= SMALL_ASIDE ? scope.slice(0, -1) : scope;
}

/**
 * Small graphs open whole. Big ones open level by level and kind by kind, so that equal modules look equal, as long as
 * what is seen stays a page. A level of one module is opened always: it would hide everything. A stack says what is in
 * it by being closed, and opens to closed members.
 */
function fold(root: Module, folds: Folds, before: ReadonlyMap<string, Module> | null): void {
  let level = [...root.modules];
  let seen = root.ops.length + level.length;
  while (level.length > 0) {
    const next: Module[] = [];
    for (const kind of byCost(level)) {
      const more = kind.reduce((sum, m) => sum + m.ops.length + m.modules.length - 1, 0);
      const shut = kind.some((m) => m.stack !== null || m.parent?.stack || isAside(m.segment));
      const open = !shut && (root.size <= OPEN_AT_FIRST || seen + more <= OPEN_AT_FIRST || level.length === 1);
      if (open) seen += more;
      for (const module of kind) {
        module.folded = folds.get(module.key) ?? before?.get(module.key)?.folded ?? !open;
        if (!module.folded) next.push(...module.modules);
      }
    }
    level = next;
  }
}

/** Modules of one type together, those that add least to the picture first. */
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
  if (module.parent?.stack) return `in ${module.parent.key}`;
  return module.segment.startsWith(ASIDE) ? ASIDE : moduleType(module.segment);
}
