/** The places where tensors leave the graph (detach(), detach_(), .data), as causes of missing gradients. */
import type { BackwardStarted, Detached, Place } from "../protocol";
import { short } from "./breakpoints";
import { reach, sources } from "./path";
import type { Structure } from "./structure";
import type { Why } from "./why";
import { t } from "../language/text";

/** The cause for a tensor outside the graph that was detached. */
export function cutInto(graph: Structure, tensor: number): Why | null {
  const cut = graph.cuts.find((each) => each.result === tensor);
  const left = cut?.tensor === tensor || graph.tensors.get(tensor)?.requires_grad !== true;
  return left ? told(graph, cut) : null;
}

/** The cause for an op outside the graph with a detached source. */
export function cutBefore(graph: Structure, node: number): Why | null {
  const nodes = reach([node], (id) => sources(graph, id));
  const leaves = new Set([...nodes].flatMap((id) => (graph.wires.get(id) ?? []).map((wire) => wire.leaf)));
  const cut = graph.cuts.find((each) => leaves.has(each.result));
  return told(graph, cut);
}

/**
 * The cuts, before backward, of values computed from `nodes` or `leaf`, preferring those that lead to backward's roots.
 */
export function cutAfter(
  graph: Structure,
  nodes: ReadonlySet<number>,
  leaf: number | null,
  start: BackwardStarted,
): Why | null {
  const made = new Set([...nodes].flatMap((id) => graph.nodes.get(id)?.outputs.map((output) => output.id) ?? []));
  const found = graph.cuts.filter((cut) => cut.seq < start.seq && (made.has(cut.tensor) || cut.tensor === leaf));
  const below = reach(
    start.roots.flatMap((root) => root.node ?? []),
    (id) => sources(graph, id),
  );
  const leads = (cut: Detached): boolean => (graph.leaves.get(cut.result) ?? []).some((use) => below.has(use.node));
  return told(graph, found.find(leads) ?? found[0]);
}

function cutting({ code, line, file }: Place, several: boolean): string {
  const blanks = { code: code ?? "", line, file: short(file) };
  return several ? t("{code} in line {line} of {file}", blanks) : t("{code} in line {line}", blanks);
}

function told(graph: Structure, cut: Detached | undefined): Why | null {
  if (!cut) return null;
  const { at, tensor, result } = cut;
  const words = t("{what} cuts it off from the graph.", {
    what: at ? cutting(at, graph.sources.size > 1) : "detach()",
  });
  const made = graph.originOf(tensor);
  const ends = [made ? graph.opKey(made.node) : graph.leafKey(tensor)];
  if (graph.leaves.has(result)) ends.push(graph.leafKey(result));
  return { words, see: [...new Set(ends)] };
}
