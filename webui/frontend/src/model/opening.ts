/** Opens modules all at once, as far as a picture can be taken in. */
import type { Module } from "./module";

/** More boxes than this nobody looks through, and their layout takes long. */
export const MOST_BOXES = 2000;

export interface Opening {
  /** Keys of the modules that are opened. */
  open: Set<string>;
  /** Whether these are all there are. */
  whole: boolean;
  boxes: number;
}

/** Level by level, so that equal modules look equal: a level that would be too much stays shut, and all below it. */
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
