/** What differs between two steps, of one run or of two: ops, shapes, values, gradients. */
import type { Value } from "../protocol";
import { gradientAt, type State } from "./state";
import type { Structure } from "./structure";
import { grid, norm, reach } from "./values";

export interface Side {
  graph: Structure;
  state: State;
}

export interface Difference {
  key: string;
  label: string;
  kind: "only here" | "only there" | "another op" | "another shape" | "numbers";
  /** How far apart, relative to the larger of the two: 0 alike, 1 wholly different. */
  value: number;
  grad: number;
}

/** Nearer than this is rounding. */
const ALIKE = 1e-6;

/** Differences, the largest first; none for identical steps. */
export function compare(here: Side, there: Side): Difference[] {
  const out: Difference[] = [];
  const keys = new Set([...keysOf(here.graph), ...keysOf(there.graph)]);
  for (const key of keys) {
    const found = key.startsWith("n") ? compareOp(key, here, there) : compareLeaf(key, here, there);
    if (found) out.push(found);
  }
  return out.sort((a, b) => weight(b) - weight(a));
}

const weight = (d: Difference): number => (d.kind === "numbers" ? Math.max(d.value, d.grad) : 2);

const keysOf = (graph: Structure): string[] => [
  ...[...graph.nodes.keys()].map(graph.opKey),
  ...[...graph.leaves.keys()].map(graph.leafKey),
];

function compareOp(key: string, here: Side, there: Side): Difference | null {
  const [a, b] = [here.graph.nodeOfKey(key), there.graph.nodeOfKey(key)];
  if (a === null || b === null) return onlyOne(key, here, there, a !== null);
  const [p, q] = [here.graph.nodes.get(a)!, there.graph.nodes.get(b)!];
  const label = here.graph.label(a);
  if (p.op !== q.op) return { key, label: `${label}, there ${q.op}`, kind: "another op", value: 1, grad: 1 };
  const [x, y] = [p.outputs[0], q.outputs[0]];
  if (x?.shape.join() !== y?.shape.join()) return { key, label, kind: "another shape", value: 1, grad: 1 };
  const value = apart(here.state.nodes.get(a)?.output ?? null, there.state.nodes.get(b)?.output ?? null);
  const grad = apart(gradientAt(here.state, a), gradientAt(there.state, b));
  return value > ALIKE || grad > ALIKE ? { key, label, kind: "numbers", value, grad } : null;
}

function compareLeaf(key: string, here: Side, there: Side): Difference | null {
  const [a, b] = [here.graph.leafOfKey(key), there.graph.leafOfKey(key)];
  if (a === null || b === null) return onlyOne(key, here, there, a !== null);
  const label = here.graph.describe(a);
  const [x, y] = [here.graph.tensors.get(a), there.graph.tensors.get(b)];
  if (x?.shape.join() !== y?.shape.join()) return { key, label, kind: "another shape", value: 1, grad: 1 };
  const value = apart(x?.value ?? null, y?.value ?? null);
  const [g, h] = [here.state.tensors.get(a)?.grad ?? null, there.state.tensors.get(b)?.grad ?? null];
  const grad = apart(g, h);
  return value > ALIKE || grad > ALIKE ? { key, label, kind: "numbers", value, grad } : null;
}

function onlyOne(key: string, here: Side, there: Side, mine: boolean): Difference {
  const { graph } = mine ? here : there;
  const [node, leaf] = [graph.nodeOfKey(key), graph.leafOfKey(key)];
  const label = node !== null ? graph.label(node) : graph.describe(leaf);
  return { key, label, kind: mine ? "only here" : "only there", value: 1, grad: 1 };
}

/** Largest difference of two elements relative to the largest element; of the norms where elements are not known. */
export function apart(a: Value | null, b: Value | null): number {
  if (!a || !b) return 0;
  const [p, q] = [grid(a), grid(b)];
  if (p && q && p.data.length === q.data.length) {
    const scale = Math.max(reach(a), reach(b));
    if (scale === 0) return 0;
    let most = 0;
    for (let i = 0; i < p.data.length; i++) {
      const d = Math.abs(p.data[i]! - q.data[i]!);
      if (Number.isNaN(d) ? Number.isNaN(p.data[i]!) !== Number.isNaN(q.data[i]!) : d > most)
        most = Number.isNaN(d) ? scale : d;
    }
    return Math.min(1, most / scale);
  }
  const [m, n] = [norm(a), norm(b)];
  if (m === null || n === null || Math.max(m, n) === 0) return 0;
  return Math.abs(m - n) / Math.max(m, n);
}
