/** The plain layout: one below the other, in the order they ran. Instant, for first pictures and very large ones. */
import { GAP, SMALL_GAP } from "../theme/scale";
import { lineTo, vertical, type Curve } from "./geometry";
import type { Block, Lane, Link, Problem, Solution } from "./problem";

/** The room beside the blocks for lines that pass them. */
const RAIL = 40;
const BEND = 24;

export function solveLinear(problem: Problem): Solution {
  const order = problem.blocks.map((_, i) => i).sort((a, b) => rank(problem.blocks[a]!) - rank(problem.blocks[b]!));
  const places = problem.blocks.map(() => 0);
  order.forEach((block, place) => (places[block] = place));
  const passing = problem.links.some((l) => places[l.to]! - places[l.from]! !== 1);
  const room = passing ? RAIL : 0;
  const spine = room + Math.max(...problem.blocks.map((b) => anchor(b)), 0);
  const at = problem.blocks.map(() => ({ x: 0, y: 0 }));
  const gap = problem.tight ? SMALL_GAP.rank : GAP.rank;
  let y = 0;
  for (const index of order) {
    const block = problem.blocks[index]!;
    at[index] = { x: spine - anchor(block), y };
    y += block.h + gap;
  }
  const w = room + Math.max(...problem.blocks.map((b, i) => at[i]!.x + b.w), 0);
  const route = (link: Link, lane: keyof Lane): Curve => routed(problem, at, places, link, lane);
  return {
    w,
    h: Math.max(0, y - gap),
    at,
    forward: problem.links.map((link) => route(link, "f")),
    backward: problem.links.map((link) => (link.grad ? route(link, "b") : null)),
  };
}

const rank = (block: Block): number => (block.rank === "first" ? 0 : block.rank === "last" ? 2 : 1);

/** The lane that is aligned with those above. */
const anchor = (block: Block): number => block.ins[0]?.f ?? block.outs[0]?.f ?? block.w / 2;

function routed(
  problem: Problem,
  at: { x: number; y: number }[],
  places: number[],
  link: Link,
  lane: keyof Lane,
): Curve {
  const [from, to] = [problem.blocks[link.from]!, problem.blocks[link.to]!];
  const [a, b] = [at[link.from]!, at[link.to]!];
  const x0 = a.x + (from.outs[link.out]?.[lane] ?? from.w / 2);
  const x1 = b.x + (to.ins[link.in]?.[lane] ?? to.w / 2);
  const [y0, y1] = [a.y + from.h, b.y];
  if (places[link.to]! - places[link.from]! === 1) return vertical(x0, y0, x1, y1);
  const rail = lane === "f" ? RAIL / 2 : Math.max(...problem.blocks.map((block, i) => at[i]!.x + block.w)) + RAIL / 2;
  return byRail(x0, y0, x1, y1, rail);
}

/** Leads lines that pass other blocks down one rail beside them. */
function byRail(x0: number, y0: number, x1: number, y1: number, rail: number): Curve {
  const [turn, down] = [y0 + BEND, y1 - BEND];
  const curve = [x0, y0, x0, y0 + BEND / 2, rail, y0 + BEND / 2, rail, turn];
  lineTo(curve, rail, down);
  curve.push(rail, down + BEND / 2, x1, down + BEND / 2, x1, y1);
  return curve;
}
