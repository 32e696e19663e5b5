/** Opens the folds around an item, so that it is drawn itself. */
import type { Module } from "./module";
import type { Folds } from "./modules";
import type { Structure } from "./structure";
import type { Visible } from "./visible";

/** The instance of each stack that is drawn open beside it. */
export type Lenses = ReadonlyMap<string, string | null>;

/** The folds and lenses with which an op or a leaf is drawn, in a picture that folds it. */
export function revealed(
  key: string,
  graph: Structure,
  { modules }: Visible,
  folds: Folds,
  lenses: Lenses,
): { folds: Folds; lenses: Lenses } {
  const op = graph.nodeOfKey(key) ?? userOf(key, graph);
  const home = [...modules.values()].find((module) => op !== null && module.ops.includes(op));
  const [open, beside] = [new Map(folds), new Map(lenses)];
  let hidden = false;
  for (const module of home ? pathTo(home) : []) {
    if (module.parent!.stack && module.parent!.folded) {
      beside.set(module.parent!.key, module.key);
      hidden ||= !module.lens;
    } else if (hidden || module.folded) {
      if (!module.stack || module === home) open.set(module.key, false);
      hidden = true;
    }
  }
  return { folds: open, lenses: beside };
}

/** The modules around a module and itself, outermost first, without the whole picture. */
function pathTo(module: Module): Module[] {
  return module.parent ? [...pathTo(module.parent), module] : [];
}

/** The op that uses a leaf first. */
function userOf(key: string, graph: Structure): number | null {
  const leaf = graph.leafOfKey(key);
  return leaf === null ? null : (graph.leaves.get(leaf)?.[0]?.node ?? null);
}
