/** What the layout thread needs of a picture: the open frames and their visible items, not the thousands inside. */
import type { Module } from "../model/module";
import type { Visible } from "../model/visible";

export type Slim = Pick<Visible, "root" | "modules" | "items" | "edges" | "narrow" | "room" | "packed" | "small"> & {
  /** The instances that are drawn beside their stacks, outer ones first. */
  lenses: Module[];
  /** For the key of each lens, the key of its stack. */
  stacks: Map<string, string>;
};

export function slim(visible: Visible): Slim {
  const modules = new Map<string, Module>();
  const copy = (module: Module, parent: Module | null): Module => {
    const mine: Module = { ...module, parent, ops: [], modules: [] };
    if (module.folded) return { ...mine, items: [] };
    modules.set(mine.key, mine);
    mine.modules = module.modules.map((inner) => copy(inner, mine));
    return mine;
  };
  const root = copy(visible.root, null);
  const open = [...visible.modules.values()].filter((m) => m.lens);
  const stacks = new Map(open.map((m) => [m.key, m.parent!.key]));
  const lenses = open.map((m) => copy(m, root));
  return {
    root,
    modules,
    lenses,
    stacks,
    items: visible.items,
    edges: visible.edges,
    narrow: visible.narrow,
    room: visible.room,
    packed: visible.packed,
    small: visible.small,
  };
}
