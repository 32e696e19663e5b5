/** Saved tensors that were changed afterwards: who saved, who changed, and both source lines. */
import type { Mutated } from "../protocol";
import { backwardUntold, isOver, type State } from "./state";

export interface Stale {
  /** The node that needs the saved tensor. */
  node: number;
  name: string;
  tensor: number;
  saved: number;
  now: number;
  /** The first change after the save, if it was recorded. */
  change: Mutated | null;
}

/**
 * The one at which backward failed comes first, then those in backward's order. Tensors that a backward has used
 * already are no trouble, even if `create_graph` keeps them: a second use is rare, and raises an error. Nor are those
 * that no backward has reached when the step is over: an evaluation's graph is dropped.
 */
export function staleSaves(state: State): Stale[] {
  const out: Stale[] = [];
  const changed = new Set([...state.tensors].filter(([, t]) => t.mutations.length > 0).map(([id]) => id));
  const failed = state.backward?.error ? state.backward.node : null;
  if (changed.size === 0 || backwardUntold(state) || (isOver(state) && failed === null)) return out;
  for (const [node, known] of state.nodes) {
    if (known.releasedAt !== null || (known.entered && node !== failed)) continue;
    for (const save of known.saved) {
      const tensor = changed.has(save.tensor) ? state.tensors.get(save.tensor) : undefined;
      if (!tensor || tensor.version <= save.version || out.some((s) => s.node === node && s.tensor === save.tensor))
        continue;
      const change = tensor.mutations.find((m) => m.version > save.version) ?? null;
      out.push({ node, name: save.name, tensor: save.tensor, saved: save.version, now: tensor.version, change });
    }
  }
  return out.sort((a, b) => Number(b.node === failed) - Number(a.node === failed) || b.node - a.node);
}
