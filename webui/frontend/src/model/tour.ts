/**
 * A tour of a run: interesting places, each with a paragraph about its numbers. It says only what the records prove.
 */
import type { Run, Step } from "../protocol";
import { explain } from "./explain";
import { bytes, lossOf, number } from "./format";
import { ofLeaf, ofOp } from "./overlay";
import type { State } from "./state";
import type { Structure } from "./structure";
import { troubleTold } from "./trouble";
import { counted, t } from "../language/text";

export interface Stop {
  /** The id in a link, which does not depend on the other stops. */
  id: string;
  title: string;
  words: string;
  step: number;
  /** The selection there; null for the step as a whole. */
  key: string | null;
  /** The record that it is about; by default the end of the step. */
  at?: number;
}

/** The step of the tour, at its end. */
export interface Home {
  step: number;
  graph: Structure;
  state: State;
}

/** A loss that is this many times that of the step before has jumped. */
const JUMP = 1.5;

/** A gradient this much smaller than the largest gets a stop. */
const SMALL = 1e-3;

export function tourOf(run: Run | null, steps: readonly Step[], home: Home): Stop[] {
  return [
    ...inTime(steps),
    trouble(run),
    ...gradients(home),
    reused(home),
    heaviest(home),
    unreached(home),
    last(home),
  ].filter((stop) => stop !== null);
}

/** Stops for the loss at the start and end, and where it rose most in one step. */
function inTime(steps: readonly Step[]): Stop[] {
  const rows = steps.flatMap((row) => {
    const loss = lossOf(row);
    return loss === null || !Number.isFinite(loss) ? [] : [{ step: row.step, loss }];
  });
  const [first, end] = [rows[0], rows.at(-1)];
  if (!first || !end || first === end) return [];
  const least = rows.reduce((a, b) => (b.loss < a.loss ? b : a));
  const way = t("The loss begins at {first} and ends at {last} in step {step}", {
    first: number(first.loss),
    last: number(end.loss),
    step: end.step,
  });
  const lowest =
    least === end
      ? t("that is its lowest value")
      : t("it is lowest in step {step}: {loss}", { step: least.step, loss: number(least.loss) });
  const broken = steps.find((row) => row.step > end.step && Number.isFinite(lossOf(row) ?? 0) === false);
  const after = broken ? [t("from step {step} on it is not finite", { step: broken.step })] : [];
  const found: Stop[] = [
    { id: "loss", title: t("The loss"), words: `${[way, lowest, ...after].join("; ")}.`, step: end.step, key: null },
  ];
  let jump: { step: number; from: number; to: number } | null = null;
  rows.forEach(({ step, loss }, i) => {
    const before = rows[i - 1]?.loss;
    if (before === undefined || before <= 0 || loss < JUMP * before) return;
    if (jump === null || loss / before > jump.to / jump.from) jump = { step, from: before, to: loss };
  });
  if (jump === null) return found;
  const { step, from, to } = jump;
  const words = t(
    "In step {step} the loss rises from {from} to {to}, {times} times as large: more than in any other step.",
    { step, from: number(from), to: number(to), times: number(to / from, 2) },
  );
  return [...found, { id: "jump", title: t("The loss jumps"), words, step, key: null }];
}

function trouble(run: Run | null): Stop | null {
  if (!run?.trouble) return null;
  const { first, rest } = troubleTold(run.trouble);
  return {
    id: "trouble",
    title: t("Where it went wrong"),
    words: `${first} ${rest}`.trim(),
    step: run.trouble.step,
    at: run.trouble.seq,
    key: null,
  };
}

const stopAt = ({ graph, state, step }: Home, id: string, title: string, fact: string, key: string): Stop => ({
  ...{ id, title, step, key },
  words: `${fact} ${explain(graph, state, key) ?? ""}`.trim(),
});

function gradients(home: Home): Stop[] {
  const { graph, state } = home;
  const known = leavesOf(home).flatMap((id) => {
    const norm = ofLeaf("gradient", id, graph, state);
    return norm === null || !Number.isFinite(norm) ? [] : [{ id, norm }];
  });
  if (known.length === 0) return [];
  const largest = known.reduce((a, b) => (b.norm > a.norm ? b : a));
  const smallest = known.reduce((a, b) => (b.norm < a.norm ? b : a));
  const norm = number(largest.norm);
  const fact = counted(known.length, "Its norm is {norm}.", "Its norm is {norm}. Of {n} leaves it has the largest.", {
    norm,
  });
  const found = [stopAt(home, "largest", t("The largest gradient"), fact, graph.leafKey(largest.id))];
  if (smallest.norm > SMALL * largest.norm) return found;
  const share =
    smallest.norm === 0
      ? t("It is 0.")
      : t("It is {times} times smaller than the largest.", { times: number(largest.norm / smallest.norm, 2) });
  return [...found, stopAt(home, "smallest", t("The smallest gradient"), share, graph.leafKey(smallest.id))];
}

const leavesOf = ({ graph }: Home): number[] =>
  [...graph.leaves.keys()].filter((id) => graph.tensors.get(id)?.requires_grad);

/** A stop for the tensor that most ops use, if one is used more than twice. */
function reused(home: Home): Stop | null {
  const { graph } = home;
  const uses = [
    ...[...graph.leaves].map(([id, all]) => ({ key: graph.leafKey(id), times: all.length })),
    ...[...graph.nodes.keys()].map((id) => ({ key: graph.opKey(id), times: graph.usesOf(id).length })),
  ];
  const most = uses.reduce((a, b) => (b.times > a.times ? b : a), { key: "", times: 2 });
  if (most.key === "") return null;
  return stopAt(
    home,
    "reused",
    t("Used most often"),
    t("{times} ops use it: as many gradients come back to it and add up.", { times: most.times }),
    most.key,
  );
}

function heaviest(home: Home): Stop | null {
  const { graph, state } = home;
  let most = { key: "", bytes: 0 };
  for (const id of graph.nodes.keys()) {
    const size = ofOp("bytes", id, graph, state) ?? 0;
    if (size > most.bytes) most = { key: graph.opKey(id), bytes: size };
  }
  if (most.key === "") return null;
  return stopAt(home, "bytes", t("The largest result"), t("It takes {size}.", { size: bytes(most.bytes) }), most.key);
}

/** A stop for a leaf that requires a gradient but got none although a backward ran. */
function unreached(home: Home): Stop | null {
  const { graph, state } = home;
  if (!state.backward?.finished) return null;
  const id = leavesOf(home).find((leaf) => {
    const known = state.tensors.get(leaf);
    return known !== undefined && known.grad === null && known.arrived.length === 0;
  });
  return id === undefined ? null : stopAt(home, "none", t("No gradient came here"), "", graph.leafKey(id));
}

/** A stop for the start of backward. */
function last(home: Home): Stop | null {
  const { graph, state } = home;
  const node = state.backward?.start.roots[0]?.node;
  if (node == null || !graph.nodes.has(node)) return null;
  return stopAt(home, "root", t("Where backward began"), "", graph.opKey(node));
}
