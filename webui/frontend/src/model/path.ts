/** The gradient's path: the items between a chosen op or leaf and the roots of backward. */
import type { State } from "./state";
import type { Structure } from "./structure";

/**
 * The keys of all items that a gradient passes from the roots to `key` and beyond it; null if no gradient reaches it.
 */
export function gradientPath(graph: Structure, state: State, key: string): ReadonlySet<string> | null {
  const start = startOf(graph, key);
  if (start.length === 0) return null;
  const above = reach(start, (id) => users(graph, id));
  const roots = state.backward?.start.roots.map((r) => r.node).filter((id): id is number => id != null) ?? [];
  const ends = roots.length > 0 ? roots : [...above].filter((id) => users(graph, id).length === 0);
  const below = reach(ends, (id) => sources(graph, id));
  const way = [...above].filter((id) => below.has(id));
  if (way.length === 0) return null;
  return new Set([key, ...way.map((id) => graph.opKey(id))]);
}

/** The op itself, or the ops that use the leaf, if a gradient can reach them. */
function startOf(graph: Structure, key: string): number[] {
  const [node, leaf] = [graph.nodeOfKey(key), graph.leafOfKey(key)];
  const wants = leaf !== null && graph.tensors.get(leaf)?.requires_grad === true;
  const start = node !== null ? [node] : wants ? (graph.leaves.get(leaf) ?? []).map((u) => u.node) : [];
  return start.filter((id) => graph.nodes.get(id)?.recorded !== false);
}

/** The nodes in the graph that use a node's output. */
export function users(graph: Structure, id: number): number[] {
  const outputs = graph.nodes.get(id)?.outputs.length ?? 0;
  const all = Array.from({ length: outputs }, (_, output) => graph.usesOf(id, output).map((u) => u.node)).flat();
  return all.filter((user) => graph.nodes.get(user)?.recorded !== false);
}

export const sources = (graph: Structure, id: number): number[] =>
  (graph.wires.get(id) ?? []).flatMap((w) => (w.from ? [w.from.node] : []));

export function reach(start: readonly number[], next: (id: number) => number[]): Set<number> {
  const seen = new Set(start);
  const stack = [...start];
  while (stack.length > 0) {
    for (const id of next(stack.pop()!)) {
      if (seen.has(id)) continue;
      seen.add(id);
      stack.push(id);
    }
  }
  return seen;
}
