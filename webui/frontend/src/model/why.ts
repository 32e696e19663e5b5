/** Why `.grad` is None, or what it waits for: one cause, in words, with places to look at. */
import { cutAfter, cutBefore, cutInto } from "./detached";
import { backwardUntold, type State } from "./state";
import type { Structure } from "./structure";
import { reach, sources, users } from "./path";
import { t } from "../language/text";

export interface Why {
  words: string;
  /** The items to look at, by key. */
  see: string[];
}

const INTEGER = /^(u?int\d+|bool)$/;

/** The cause for a leaf or an op's output; null if there is a gradient, or backward was not recorded. */
export function whyNone(graph: Structure, state: State, key: string): Why | null {
  const [node, leaf] = [graph.nodeOfKey(key), graph.leafOfKey(key)];
  if (leaf !== null) return whyLeaf(graph, state, leaf);
  if (node !== null) return whyNode(graph, state, node);
  return null;
}

function whyLeaf(graph: Structure, state: State, id: number): Why | null {
  const record = graph.tensors.get(id);
  const known = state.tensors.get(id);
  if (known?.grad || known?.arrived.some((c) => !c.returned)) return null;
  if (known && known.arrived.length > 0) {
    return { words: t("autograd.grad returned its gradient to the caller, and leaves .grad as it was."), see: [] };
  }
  if (record && INTEGER.test(record.dtype)) {
    return {
      words: t("It holds {dtype}: only floating point and complex tensors can have a gradient.", {
        dtype: record.dtype,
      }),
      see: [],
    };
  }
  const cut = cutInto(graph, id);
  if (cut) return cut;
  if (!record?.requires_grad) {
    return { words: t("It does not require a gradient. Make it with requires_grad=True if you want one."), see: [] };
  }
  const uses = (graph.leaves.get(id) ?? []).map((u) => u.node);
  const inGraph = uses.filter((n) => graph.nodes.get(n)?.recorded !== false);
  if (inGraph.length === 0) {
    return { words: t("Everything that used it ran under no_grad, so nothing was recorded."), see: keys(graph, uses) };
  }
  return whyNotReached(graph, state, inGraph, id);
}

function whyNode(graph: Structure, state: State, id: number): Why | null {
  if (graph.nodes.get(id)?.recorded === false) {
    const words = t("It is not in the graph: it ran under no_grad, or none of its inputs requires a gradient.");
    return cutBefore(graph, id) ?? { words, see: [] };
  }
  if (state.nodes.get(id)?.entered) {
    return {
      words: t(
        "It is not a leaf. Its gradient passed through, as you see, but .grad is kept for leaves only; call retain_grad() to keep it.",
      ),
      see: [],
    };
  }
  return whyNotReached(graph, state, [id]);
}

/** The cause if backward has not arrived: not begun, not here, or not yet. */
function whyNotReached(graph: Structure, state: State, from: number[], leaf: number | null = null): Why | null {
  if (backwardUntold(state)) return null;
  const { backward } = state;
  if (!backward) return { words: t("No backward has started at this moment."), see: [] };
  const roots = backward.start.roots.map((r) => r.node).filter((id): id is number => id != null);
  const above = reach(from, (id) => users(graph, id));
  if (!roots.some((r) => above.has(r))) {
    const ends = [...above].filter((id) => users(graph, id).length === 0);
    const cut = cutAfter(graph, above, leaf, backward.start);
    if (cut) return cut;
    return {
      words: t("Nothing that backward started from depends on it: no later op in the graph uses it."),
      see: keys(graph, ends.slice(0, 3)),
    };
  }
  const waiting = (ids: readonly number[]): number[] => ids.filter((id) => !state.nodes.get(id)?.entered);
  if (backward.finished) {
    return {
      words: backward.error ? t("Backward failed before it came here.") : t("Backward finished without reaching it."),
      see: keys(graph, waiting(from)),
    };
  }
  const before = leaf === null ? from.flatMap((id) => users(graph, id)) : from;
  const walked = reach(roots, (id) => sources(graph, id));
  const first = waiting(before).filter((id) => walked.has(id));
  if (first.length === 0) return { words: t("Not yet: backward is running, and its gradient is on its way."), see: [] };
  return {
    words: t("Not yet: backward is running and must run these nodes first."),
    see: keys(graph, first.slice(0, 4)),
  };
}

const keys = (graph: Structure, ids: number[]): string[] => [...new Set(ids)].map((id) => graph.opKey(id));
