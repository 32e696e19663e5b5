/**
 * The visible part of a step with these folds: items in nested frames, and edges between visible items. Keys name items
 * in the picture and in the address bar: `n12` is the 12th op, `t4` the 4th leaf, `m/net/0` a module.
 */
import type { NodeRecord, TensorFacts } from "../protocol";
import { commonModule, foldedAround, isRank, type Item, lensAround, type Module, ROOT } from "./module";
import { type Folds, modulesOf, NO_WISH, type Wish } from "./modules";
import type { Structure, Use } from "./structure";

export { type Item, type Module, ROOT } from "./module";
export type { Folds, Wish } from "./modules";

export interface Edge {
  from: string;
  to: string;
  /** The values along an edge, such as "12.0": input 0 of the 12th op. */
  wires: string[];
  grad: boolean;
  /**
   * The lens in which an edge is drawn, if not in the picture itself. An end outside the lens is a stub at its border.
   */
  lens?: string;
  /** Set where it is no wire: what this rank gives to a collective. */
  rank?: number;
}

export interface Visible {
  root: Module;
  modules: Map<string, Module>;
  items: Map<string, Item>;
  edges: Edge[];
  /** There is no room for anything beside the picture. */
  narrow: boolean;
  /** The pane in the picture's own pixels, beyond whose height frames continue in columns; null for any size. */
  room: { w: number; h: number } | null;
  /** What acts passes by quickly: a frame that is too large for the pane may become a list. */
  packed: boolean;
  /** Every tensor is one number, so cards are small. */
  small: boolean;
  /** The key under which an op or a leaf is visible: its own, or that of the folded module around it. */
  shown: Map<string, string>;
  /** The contents as parts: equal parts mean an equal picture, whatever the ids. */
  parts: ReadonlySet<string>;
}

/** Whether `inner` can be drawn with the places of `outer`: it is the same picture, or its beginning. */
export function covers(outer: Visible, inner: Visible): boolean {
  for (const part of inner.parts) if (!outer.parts.has(part)) return false;
  return true;
}

/**
 * `before` is the picture of the step before: what was open there is open here, even while the step is short. `like` is
 * that step as it would be drawn with these wishes; a running step is folded like it.
 */
export function visibleGraph(
  structure: Structure,
  folds: Folds,
  before: Visible | null = null,
  wish: Wish = NO_WISH,
  like: Visible | null = null,
): Visible {
  const modules = modulesOf(structure, folds, before?.modules ?? null, wish, like?.modules ?? null);
  const root = modules.get(ROOT)!;
  const shown = new Map<string, string>();
  const items = new Map<string, Item>();
  placeModules(structure, root, items, shown);
  const ops = placeOps(structure, modules, items, shown);
  const leaves = placeLeaves(structure, ops, items, shown);
  const edges = [
    ...edgesOf(structure, shown, { ops, leaves }, { modules, items }),
    ...placeCollectives(structure, modules, items, shown),
  ];
  const { narrow, room, deep } = wish;
  const small = isOfScalars(structure) && !(like && !like.small && like.root.size > root.size);
  if (small) for (const item of items.values()) if (item.cells === undefined) item.small = true;
  return {
    root,
    modules,
    items,
    edges,
    narrow,
    room,
    packed: !deep,
    small,
    shown,
    parts: partsOf(modules, items, edges),
  };
}

const scalars = new WeakMap<Structure, { version: number; small: boolean }>();

function isOfScalars(structure: Structure): boolean {
  const known = scalars.get(structure);
  if (known?.version === structure.version) return known.small;
  const small =
    structure.nodes.size > 0 &&
    [...structure.nodes.values()].every((n) => n.outputs.every((out) => out.shape.length === 0)) &&
    [...structure.leaves.keys()].every((id) => (structure.tensors.get(id)?.shape.length ?? 0) === 0);
  scalars.set(structure, { version: structure.version, small });
  return small;
}

/** The parts of a picture. A leaf counts only by its name, because its place depends on uses that may still come. */
function partsOf(modules: Map<string, Module>, items: Map<string, Item>, edges: Edge[]): Set<string> {
  const parts = new Set<string>();
  for (const m of modules.values()) parts.add(`${m.key}:${m.folded ? 1 : 0}${m.lens ? "lens" : ""}`);
  for (const i of items.values()) parts.add(i.kind === "leaf" ? i.key : `${i.key}@${i.frame}${i.cells ?? ""}`);
  for (const e of edges) parts.add(`${e.from}>${e.to}${e.grad ? "g" : ""}${e.lens ?? ""}`);
  return parts;
}

function placeModules(graph: Structure, module: Module, items: Map<string, Item>, shown: Map<string, string>): void {
  for (const inner of module.modules) {
    if (inner.folded) {
      const item: Item = { key: inner.key, kind: "module", id: -1, frame: module.key, host: null, side: null };
      if (inner.stack) item.cells = inner.stack.names.length;
      items.set(inner.key, item);
      module.items.push(item);
      hide(graph, inner, inner.key, shown);
      for (const lens of inner.modules) if (lens.lens) placeModules(graph, lens, items, shown);
    } else placeModules(graph, inner, items, shown);
  }
}

function hide(graph: Structure, module: Module, key: string, shown: Map<string, string>): void {
  for (const id of module.ops) shown.set(graph.opKey(id), key);
  for (const inner of module.modules) {
    if (inner.lens) continue;
    shown.set(inner.key, key);
    hide(graph, inner, key, shown);
  }
}

/** Places each op in its module; ops inside folded modules are placed already. */
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
): Map<string, Module> {
  const found = new Map<string, Module>();
  for (const [id, uses] of structure.leaves) {
    const tensor = structure.tensors.get(id);
    const ops = [...new Set(nearUses(structure, uses, tensor).map((u) => u.node))];
    const home = homeOf(tensor, ops, homes);
    if (!home) continue;
    const key = structure.leafKey(id);
    found.set(key, home);
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
  return found;
}

/**
 * The uses that decide a leaf's place: those of forward, not later ones by a gradient's graph or a checkpoint, nor uses
 * without a gradient if another has one.
 */
function nearUses(graph: Structure, uses: readonly Use[], tensor: TensorFacts | undefined): readonly Use[] {
  const among = (from: readonly Use[], wanted: (node: NodeRecord) => boolean): readonly Use[] => {
    const some = from.filter(({ node }) => wanted(graph.nodes.get(node)!));
    return some.length > 0 ? some : from;
  };
  const forward = among(uses, (node) => (node.layer ?? 0) === 0 && !node.recomputed);
  return tensor?.requires_grad ? among(forward, (node) => node.recorded !== false) : forward;
}

/**
 * The module that contains a leaf. A parameter is in the module that uses it, at its first call; one shared by members
 * of a stack is beside the stack; data of a variable is outside all modules, or in one pass of a loop.
 */
function homeOf(tensor: TensorFacts | undefined, ops: number[], homes: Map<number, Module>): Module | null {
  const used = ops.map((id) => homes.get(id)).filter((m): m is Module => m !== undefined);
  const first = used[0];
  if (!first) return null;
  const own = isKept(tensor) && used.every((m) => m.plain === first.plain);
  let home = own ? first : used.reduce((a, b) => commonModule(a, b), first);
  while (home.stack && home.parent && ops.length > 1) home = home.parent;
  const isData = tensor?.name != null && !isOfModule(tensor) && !tensor.requires_grad;
  while (isData && home.parent && !isRank(home.key) && !home.parent.stack) home = home.parent;
  return home;
}

/** Whether a tensor is a parameter or a buffer: their names are paths. */
export const isOfModule = (tensor: TensorFacts | undefined): boolean =>
  tensor?.parameter === true || (tensor?.name?.includes(".") ?? false);

/** Whether a tensor is trained, and kept in a module, or in an object that is called like one. */
const isKept = (tensor: TensorFacts | undefined): boolean =>
  tensor?.parameter === true || (tensor?.requires_grad === true && isOfModule(tensor));

function hostOf(graph: Structure, ops: number[], home: Module, homes: Map<number, Module>): string | null {
  const [only] = ops;
  if (ops.length !== 1 || only === undefined || homes.get(only) !== home) return null;
  return startsWithNumbers(graph.nodes.get(only)!, graph) ? null : graph.opKey(only);
}

/** Whether an op begins an expression of numbers, which is drawn as on paper: its leaves above it. */
const startsWithNumbers = (node: NodeRecord, graph: Structure): boolean =>
  node.inputs.every(({ tensor }) => {
    if (tensor == null) return true;
    return graph.originOf(tensor) === null && graph.tensors.get(tensor)?.shape.length === 0;
  });

/** Places the ranks' collectives between their lanes, connected to what each rank gave. */
function placeCollectives(
  structure: Structure,
  modules: Map<string, Module>,
  items: Map<string, Item>,
  shown: Map<string, string>,
): Edge[] {
  const edges = new Map<string, Edge>();
  for (const { key, members } of structure.collectives.list) {
    const mine = members.filter(({ rank = 0 }) => modules.has(laneKey(rank)));
    if (mine.length === 0) continue;
    const item: Item = { key, kind: "collective", id: -1, frame: ROOT, host: null, side: null };
    items.set(key, item);
    modules.get(ROOT)!.items.push(item);
    shown.set(key, key);
    for (const { rank = 0, tensors = [] } of mine) {
      for (const tensor of tensors) {
        const origin = structure.originOf(tensor);
        const end = origin ? structure.opKey(origin.node) : structure.leafKey(tensor);
        const from = shown.get(end) ?? laneKey(rank);
        edges.set(`${from}>${key}`, { from, to: key, wires: [], grad: false, rank });
      }
    }
  }
  return [...edges.values()];
}

const laneKey = (rank: number): string => `${ROOT}/rank ${rank}`;

/** A wire of the whole step, by the keys of its ends. */
interface Line {
  node: number;
  from: string;
  to: string;
  wire: string;
  grad: boolean;
  parameter: boolean;
}

/** The frame of each op and each leaf. */
interface Homes {
  ops: Map<number, Module>;
  leaves: Map<string, Module>;
}

function again(homes: Homes, line: Line): boolean {
  const [user, home] = [homes.ops.get(line.node), homes.leaves.get(line.from)];
  return user !== undefined && home !== undefined && user !== home && user.plain === home.plain;
}

/** Whether a gradient comes back to a leaf from any use. */
const trained = (graph: Structure, leaf: number): boolean =>
  graph.tensors.get(leaf)?.requires_grad === true &&
  graph.leaves.get(leaf)!.some(({ node }) => graph.nodes.get(node)?.recorded !== false);

const drawn = new WeakMap<Structure, { version: number; lines: Line[] }>();

/** All wires, for any folding, except from a parameter to uses without a gradient. */
function linesOf(structure: Structure): Line[] {
  const known = drawn.get(structure);
  if (known?.version === structure.version) return known.lines;
  const lines: Line[] = [];
  for (const [node, wires] of structure.wires) {
    const to = structure.opKey(node);
    for (const wire of wires) {
      if (!wire.from && wire.leaf === null) continue;
      const from = wire.from ? structure.opKey(wire.from.node) : structure.leafKey(wire.leaf!);
      const parameter = wire.leaf !== null && isKept(structure.tensors.get(wire.leaf));
      const grad = carriesGradient(structure, node, wire);
      if (parameter && !grad && trained(structure, wire.leaf!)) continue;
      lines.push({ node, from, to, wire: `${to}.${wire.index}`, grad, parameter });
    }
  }
  drawn.set(structure, { version: structure.version, lines });
  return lines;
}

/** The items in the picture, by key. */
interface Placed {
  modules: Map<string, Module>;
  items: Map<string, Item>;
}

/** The visible edges. A parameter belongs to its module: another call of the module that uses it gets no line. */
function edgesOf(structure: Structure, shown: Map<string, string>, homes: Homes, placed: Placed): Edge[] {
  const edges = new Map<string, Edge>();
  const add = (from: string, to: string, line: Line, lens: string | undefined): void => {
    if (from === to) return;
    const name = `${from}>${to}>${lens ?? ""}`;
    let edge = edges.get(name);
    if (!edge)
      edges.set(
        name,
        (edge = lens ? { from, to, wires: [], grad: false, lens } : { from, to, wires: [], grad: false }),
      );
    edge.wires.push(line.wire);
    edge.grad ||= line.grad;
  };
  const lenses = [...placed.modules.values()].some((m) => m.lens);
  for (const line of linesOf(structure)) {
    const [from, to] = [shown.get(line.from), shown.get(line.to)];
    if (from === undefined || to === undefined || from === to) continue;
    if (line.parameter && (from !== line.from || again(homes, line))) continue;
    if (!lenses) add(from, to, line, undefined);
    else for (const piece of throughLenses(from, to, placed)) add(piece.from, piece.to, line, piece.lens);
  }
  return [...edges.values()];
}

/** For each lens, and "" for the picture itself, the item that represents an item there. */
type Spaces = Map<string, string>;

/** An item represents itself where it is drawn; further out, the card of the stack around it does. */
function spacesOf(key: string, { modules, items }: Placed): Spaces {
  const spaces: Spaces = new Map();
  let at = key;
  let lens = lensAround(modules.get(items.get(key)?.frame ?? ""));
  for (; lens; lens = lensAround(lens.parent!.parent)) {
    spaces.set(lens.key, at);
    at = lens.parent!.key;
  }
  return spaces.set("", at);
}

/** The line in each lens that it touches, and in the picture itself. */
function throughLenses(from: string, to: string, placed: Placed): { from: string; to: string; lens?: string }[] {
  const [a, b] = [spacesOf(from, placed), spacesOf(to, placed)];
  const common = [...a.keys()].find((space) => b.has(space))!;
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((space) => {
    if (a.has(space) && b.has(space) && space !== common) return [];
    const ends = { from: a.get(space) ?? a.get(common)!, to: b.get(space) ?? b.get(common)! };
    return space === "" ? [ends] : [{ ...ends, lens: space }];
  });
}

/** Whether a gradient can come back along a wire: both ends must be in the graph. */
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
