/** Opens all modules, as far as the picture stays readable. */
import type { Module } from "./module";

/** The most boxes: nobody would look through more, and their layout would take long. */
export const MOST_BOXES = 2000;

export interface Opening {
  /** Keys of the modules that are opened. */
  open: Set<string>;
  /** Whether these are all modules. */
  whole: boolean;
  boxes: number;
}

/**
 * Opens level by level, so that equal modules look equal. A level that would be too large stays closed, and so does all
 * below it.
 */
export function openedWithin(root: Module, most = MOST_BOXES): Opening {
  const open = new Set<string>();
  let boxes = root.ops.length + root.modules.length;
  let level = root.modules;
  while (level.length > 0) {
    const more = level.reduce((sum, module) => sum + module.ops.length + module.modules.length, 0);
    if (boxes + more > most) return { open, whole: false, boxes };
    boxes += more;
    for (const module of level) open.add(module.key);
    level = level.flatMap((module) => module.modules);
  }
  return { open, whole: true, boxes };
}
