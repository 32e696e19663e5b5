/**
 * What of a step is to be seen with these modules folded: items in nested frames, and edges between what is seen.
 *
 * Keys name things in the picture and in the address bar: `n12` the 12th op, `t4` the 4th leaf, `m/net/0` a module.
 */
import type { NodeRecord, TensorRecord } from "../protocol";
import { moduleName, moduleType } from "./format";
import { ASIDE, type Structure, type Use } from "./structure";

export type ItemKind = "op" | "leaf" | "module";

export interface Item {
  key: string;
  kind: ItemKind;
  /** Id of the node or tensor; -1 for a module. */
  id: number;
  /** Key of the frame it lies in, "m" being the whole. */
  frame: string;
  /** A leaf that one op alone uses stands beside that op, data left, parameters right. */
  host: string | null;
  side: "left" | "right" | null;
}

/** A module. It is a frame around its items when open, and an item itself when folded. */
export interface Module {
  key: string;
  segment: string;
  depth: number;
  parent: Module | null;
  modules: Module[];
  ops: number[];
  /** Ops in it and in all that lies in it, and which op of the step was its first. */
  size: number;
  first: number;
  folded: boolean;
  items: Item[];
}

export interface Edge {
  from: string;
  to: string;
  /** What runs along it, as "12.0": input 0 of the 12th op. */
  wires: string[];
  grad: boolean;
}

export interface Visible {
  root: Module;
  modules: Map<string, Module>;
  items: Map<string, Item>;
  edges: Edge[];
  /** The key under which an op or a leaf can be seen: its own, or that of the folded module around it. */
  shown: Map<string, string>;
  /** What there is, part by part: equal ones have the same picture, whatever the ids. */
  parts: ReadonlySet<string>;
}

/** Whether `inner` can be drawn with the places of `outer`: it is the same picture, or the beginning of it. */
export function covers(outer: Visible, inner: Visible): boolean {
  for (const part of inner.parts) if (!outer.parts.has(part)) return false;
  return true;
}

export const ROOT = "m";

/** Modules that are not as they would be by default: `true` folded, `false` open. */
export type Folds = ReadonlyMap<string, boolean>;

const OPEN_AT_FIRST = 60;

/** `before` is the picture of the step before: what was open there is open here, even while the step is still short. */
export function visibleGraph(structure: Structure, folds: Folds, before: Visible | null = null): Visible {
  const modules = moduleTree(structure);
  const root = modules.get(ROOT)!;
  fold(root, folds, before);
  const shown = new Map<string, string>();
  const items = new Map<string, Item>();
  placeModules(structure, root, items, shown);
  const homes = placeOps(structure, modules, items, shown);
  placeLeaves(structure, homes, items, shown);
  const edges = edgesOf(structure, shown);
  return { root, modules, items, edges, shown, parts: partsOf(modules, items, edges) };
}

/** Where a leaf stands depends on uses that may still come, so it counts by its name alone. */
function partsOf(modules: Map<string, Module>, items: Map<string, Item>, edges: Edge[]): Set<string> {
  const parts = new Set<string>();
  for (const m of modules.values()) parts.add(`${m.key}:${m.folded ? 1 : 0}`);
  for (const i of items.values()) parts.add(i.kind === "leaf" ? i.key : `${i.key}@${i.frame}`);
  for (const e of edges) parts.add(`${e.from}>${e.to}${e.grad ? "g" : ""}`);
  return parts;
}

function moduleTree(structure: Structure): Map<string, Module> {
  const root = makeModule(ROOT, "", null, 1);
  const modules = new Map([[ROOT, root]]);
  const sizes = asideSizes(structure);
  for (const id of structure.nodes.keys()) {
    let module = root;
    module.size += 1;
    for (const segment of scopeShown(structure.scopeOf(id), sizes)) {
      const key = `${module.key}/${moduleName(segment)}`;
      let inner = modules.get(key);
      if (!inner) {
        inner = makeModule(key, segment, module, structure.order.get(id) ?? 0);
        modules.set(key, inner);
        module.modules.push(inner);
      }
      module = inner;
      module.size += 1;
    }
    module.ops.push(id);
  }
  return modules;
}

/** One or two ops outside of the graph need no box of their own. */
const SMALL_ASIDE = 2;

function asideSizes(structure: Structure): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const id of structure.nodes.keys()) {
    const scope = structure.scopeOf(id);
    if (scope.at(-1)?.startsWith(ASIDE)) sizes.set(scope.join("/"), (sizes.get(scope.join("/")) ?? 0) + 1);
  }
  return sizes;
}

function scopeShown(scope: readonly string[], sizes: ReadonlyMap<string, number>): readonly string[] {
  const size = sizes.get(scope.join("/")) ?? 0;
  return size > 0 && size <= SMALL_ASIDE ? scope.slice(0, -1) : scope;
}

const makeModule = (key: string, segment: string, parent: Module | null, first: number): Module => ({
  key,
  segment,
  depth: parent ? parent.depth + 1 : 0,
  parent,
  modules: [],
  ops: [],
  size: 0,
  first,
  folded: false,
  items: [],
});

/**
 * Small graphs open whole. Big ones open level by level and kind by kind, so that equal modules look equal, as long as
 * what is seen stays a page. A level of one module is opened always: it would hide everything.
 */
function fold(root: Module, folds: Folds, before: Visible | null): void {
  let level = [...root.modules];
  let seen = root.ops.length + level.length;
  while (level.length > 0) {
    const next: Module[] = [];
    for (const kind of byCost(level)) {
      const more = kind.reduce((sum, m) => sum + m.ops.length + m.modules.length - 1, 0);
      const aside = kind.every((m) => m.segment.startsWith(ASIDE));
      const open = !aside && (root.size <= OPEN_AT_FIRST || seen + more <= OPEN_AT_FIRST || level.length === 1);
      if (open) seen += more;
      for (const module of kind) {
        module.folded = folds.get(module.key) ?? before?.modules.get(module.key)?.folded ?? !open;
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
    const type = module.segment.startsWith(ASIDE) ? ASIDE : moduleType(module.segment);
    kinds.set(type, [...(kinds.get(type) ?? []), module]);
  }
  const cost = (kind: Module[]): number => kind.reduce((sum, m) => sum + m.ops.length + m.modules.length, 0);
  return [...kinds.values()].sort((a, b) => cost(a) - cost(b));
}

function placeModules(graph: Structure, module: Module, items: Map<string, Item>, shown: Map<string, string>): void {
  for (const inner of module.modules) {
    if (inner.folded) {
      const item: Item = { key: inner.key, kind: "module", id: -1, frame: module.key, host: null, side: null };
      items.set(inner.key, item);
      module.items.push(item);
      hide(graph, inner, inner.key, shown);
    } else placeModules(graph, inner, items, shown);
  }
}

function hide(graph: Structure, module: Module, key: string, shown: Map<string, string>): void {
  for (const id of module.ops) shown.set(graph.opKey(id), key);
  for (const inner of module.modules) {
    shown.set(inner.key, key);
    hide(graph, inner, key, shown);
  }
}

/** The module of each op; those inside folded modules have been dealt with. */
function placeOps(
  graph: Structure,
  modules: Map<string, Module>,
  items: Map<string, Item>,
  shown: Map<string, string>,
): Map<number, Module> {
  const homes = new Map<number, Module>();
  for (const module of modules.values()) {
    for (const id of module.ops) {
      homes.set(id, module);
      const key = graph.opKey(id);
      if (shown.has(key)) continue;
      const item: Item = { key, kind: "op", id, frame: module.key, host: null, side: null };
      items.set(key, item);
      module.items.push(item);
      shown.set(key, key);
    }
  }
  return homes;
}

function placeLeaves(
  structure: Structure,
  homes: Map<number, Module>,
  items: Map<string, Item>,
  shown: Map<string, string>,
): void {
  for (const [id, uses] of structure.leaves) {
    const tensor = structure.tensors.get(id);
    const ops = [...new Set(nearUses(structure, uses).map((u) => u.node))];
    const home = homeOf(tensor, ops, homes);
    if (!home) continue;
    const key = structure.leafKey(id);
    const around = foldedAround(home);
    if (around) {
      shown.set(key, around.key);
      continue;
    }
    const host = hostOf(structure, ops, home, homes);
    const side = host === null ? null : tensor?.requires_grad ? "right" : "left";
    const item: Item = { key, kind: "leaf", id, frame: home.key, host, side };
    items.set(key, item);
    home.items.push(item);
    shown.set(key, key);
  }
}

/** A leaf stands where forward used it; what a graph of a gradient does with it later must not move it. */
function nearUses(graph: Structure, uses: readonly Use[]): readonly Use[] {
  const forward = uses.filter((u) => (graph.nodes.get(u.node)?.layer ?? 0) === 0);
  return forward.length > 0 ? forward : uses;
}

/** Parameters live with the module that uses them; named data comes from outside of all modules. */
function homeOf(tensor: TensorRecord | undefined, ops: number[], homes: Map<number, Module>): Module | null {
  const used = ops.map((id) => homes.get(id)).filter((m): m is Module => m !== undefined);
  const first = used[0];
  if (!first) return null;
  const common = used.reduce((a, b) => commonModule(a, b), first);
  const isData = tensor?.name != null && !tensor.parameter && !tensor.requires_grad;
  if (!isData) return common;
  let top = common;
  while (top.parent) top = top.parent;
  return top;
}

function hostOf(graph: Structure, ops: number[], home: Module, homes: Map<number, Module>): string | null {
  const [only] = ops;
  return ops.length === 1 && only !== undefined && homes.get(only) === home ? graph.opKey(only) : null;
}

export function commonModule(a: Module, b: Module): Module {
  let [x, y] = [a, b];
  while (x.depth > y.depth) x = x.parent!;
  while (y.depth > x.depth) y = y.parent!;
  while (x !== y) [x, y] = [x.parent!, y.parent!];
  return x;
}

function foldedAround(module: Module): Module | null {
  let found: Module | null = null;
  for (let m: Module | null = module; m; m = m.parent) if (m.folded) found = m;
  return found;
}

function edgesOf(structure: Structure, shown: Map<string, string>): Edge[] {
  const edges = new Map<string, Edge>();
  for (const [node, wires] of structure.wires) {
    const to = shown.get(structure.opKey(node));
    for (const wire of wires) {
      const source = wire.from
        ? structure.opKey(wire.from.node)
        : wire.leaf !== null
          ? structure.leafKey(wire.leaf)
          : null;
      const from = source === null ? undefined : shown.get(source);
      if (from === undefined || to === undefined || from === to) continue;
      const name = `${from}>${to}`;
      const grad = carriesGradient(structure, node, wire);
      const edge = edges.get(name) ?? { from, to, wires: [], grad: false };
      edge.wires.push(`${structure.order.get(node)}.${wire.index}`);
      edge.grad ||= grad;
      edges.set(name, edge);
    }
  }
  return [...edges.values()];
}

/** A gradient can come back along a wire if both ends are in the graph. */
export function carriesGradient(
  structure: Structure,
  node: number,
  wire: { from: { node: number; output: number } | null; leaf: number | null },
): boolean {
  const record: NodeRecord | undefined = structure.nodes.get(node);
  if (!record || record.recorded === false) return false;
  if (wire.from) return structure.nodes.get(wire.from.node)?.recorded !== false;
  return wire.leaf !== null && (structure.tensors.get(wire.leaf)?.requires_grad ?? false);
}
