/** The differences between two steps, of one run or of two: ops, shapes, values, gradients. */
import type { Value } from "../protocol";
import { laneIn } from "./ranks";
import { gradientAt, type State } from "./state";
import type { Structure } from "./structure";
import { grid, norm, reach } from "./values";
import { t } from "../language/text";

export interface Side {
  graph: Structure;
  state: State;
}

export interface Difference {
  key: string;
  label: string;
  kind: "only here" | "only there" | "another op" | "another shape" | "numbers";
  /** The difference relative to the larger of the two: 0 for equal, 1 for entirely different. */
  value: number;
  grad: number;
}

/** Smaller differences are rounding. */
const ALIKE = 1e-6;

/** Differences, largest first; none for identical steps. */
export function compare(here: Side, there: Side): Difference[] {
  const [mine, theirs] = [thingsOf(here.graph), thingsOf(there.graph)];
  const out: Difference[] = [];
  for (const [place, thing] of mine) {
    const other = theirs.get(place);
    const found = other ? differ(thing, here, other, there) : only("only here", thing);
    if (found) out.push(found);
  }
  for (const [place, thing] of theirs)
    if (!mine.has(place)) out.push(only("only there", { ...thing, key: `${place}, there` }));
  return out.sort((a, b) => weight(b) - weight(a));
}

/** Whether comparing elements is useless because nearly all are entirely different, as with other data. */
export function allDiffer(differences: readonly Difference[] | null): boolean {
  const numbers = (differences ?? []).filter((d) => d.kind === "numbers");
  return numbers.length > 0 && 2 * numbers.filter((d) => Math.max(d.value, d.grad) > FAR).length > numbers.length;
}

const FAR = 0.5;

const weight = (d: Difference): number => (d.kind === "numbers" ? Math.max(d.value, d.grad) : 2);

/** The ops and leaves that are in both steps, of the same kind. */
export function pairsOf(here: Structure, there: Structure): { mine: Thing; theirs: Thing }[] {
  const others = thingsOf(there);
  return [...thingsOf(here)].flatMap(([place, mine]) => {
    const theirs = others.get(place);
    const alike = theirs && (!mine.isOp || here.nodes.get(mine.id)!.op === there.nodes.get(theirs.id)!.op);
    return alike ? { mine, theirs } : [];
  });
}

/** An op or a leaf. */
export interface Thing {
  isOp: boolean;
  id: number;
  key: string;
  label: string;
}

/** Matches nodes by their order: steps of one program number them alike, with several ranks within each rank. */
function thingsOf(graph: Structure): Map<string, Thing> {
  const things = new Map<string, Thing>();
  const counts = new Map<string, number>();
  const put = (thing: Thing, node: number | undefined): void => {
    const lane = node === undefined ? "" : laneIn(graph.scopeOf(node));
    const kind = `${lane} ${thing.isOp ? "op" : "leaf"}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const label = thing.isOp ? thing.label : `${lane} ${thing.label}`.trim();
    things.set(`${kind} ${count}`, { ...thing, label });
  };
  for (const id of graph.nodes.keys()) put({ isOp: true, id, key: graph.opKey(id), label: graph.label(id) }, id);
  for (const [id, uses] of graph.leaves)
    put({ isOp: false, id, key: graph.leafKey(id), label: graph.describe(id) }, uses[0]?.node);
  return things;
}

const only = (kind: "only here" | "only there", { key, label }: Thing): Difference => ({
  key,
  label,
  kind,
  value: 1,
  grad: 1,
});

function differ(one: Thing, here: Side, other: Thing, there: Side): Difference | null {
  const [p, q] = [ofThing(one, here), ofThing(other, there)];
  const { key, label } = one;
  if (p.op !== q.op)
    return { key, label: t("{label}, there {op}", { label, op: q.op ?? "" }), kind: "another op", value: 1, grad: 1 };
  if (p.shape !== q.shape) return { key, label, kind: "another shape", value: 1, grad: 1 };
  const value = apart(p.value, q.value);
  const grad = isLone(p, q) ? 1 : apart(p.grad, q.grad);
  return value > ALIKE || grad > ALIKE ? { key, label, kind: "numbers", value, grad } : null;
}

/** Whether only one side has a gradient. It does not count if the other was just not recorded. */
const isLone = (p: Numbers, q: Numbers): boolean =>
  p.value !== null && q.value !== null && (p.grad === null) !== (q.grad === null);

/** Whether there are values to compare; without them, only ops and shapes are compared. */
export const hasNumbers = ({ state }: Side): boolean => [...state.nodes.values()].some((node) => node.output !== null);

interface Numbers {
  op: string | undefined;
  shape: string | undefined;
  value: Value | null;
  grad: Value | null;
}

function ofThing({ isOp, id }: Thing, { graph, state }: Side): Numbers {
  if (!isOp) {
    const leaf = graph.tensors.get(id);
    const grad = state.tensors.get(id)?.grad ?? null;
    return { op: undefined, shape: leaf?.shape.join(), value: leaf?.value ?? null, grad };
  }
  const node = graph.nodes.get(id);
  const value = state.nodes.get(id)?.output ?? null;
  return { op: node?.op, shape: node?.outputs[0]?.shape.join(), value, grad: gradientAt(state, id) };
}

/** The largest difference of two elements relative to the largest element; of the norms if elements are not known. */
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
