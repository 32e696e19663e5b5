/** What the layout thread needs of a picture: the open frames and what is seen in them, not the thousands inside. */
import type { Module } from "../model/module";
import type { Visible } from "../model/visible";

export type Slim = Pick<Visible, "root" | "modules" | "items" | "edges">;

export function slim(visible: Visible): Slim {
  const modules = new Map<string, Module>();
  const copy = (module: Module, parent: Module | null): Module => {
    const mine: Module = { ...module, parent, ops: [], modules: [] };
    if (module.folded) return { ...mine, items: [] };
    modules.set(mine.key, mine);
    mine.modules = module.modules.map((inner) => copy(inner, mine));
    return mine;
  };
  return { root: copy(visible.root, null), modules, items: visible.items, edges: visible.edges };
}
