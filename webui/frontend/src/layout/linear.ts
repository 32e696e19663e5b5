/** The plain layout: one under the other, in the order they ran. Instant, for the first look and for giants. */
import { GAP } from "../theme/scale";
import { vertical, type Curve } from "./geometry";
import type { Block, Lane, Link, Problem, Solution } from "./problem";

export function solveLinear(problem: Problem): Solution {
  const order = problem.blocks.map((_, i) => i).sort((a, b) => rank(problem.blocks[a]!) - rank(problem.blocks[b]!));
  const spine = Math.max(...problem.blocks.map((b) => anchor(b)), 0);
  const at = problem.blocks.map(() => ({ x: 0, y: 0 }));
  let y = 0;
  for (const index of order) {
    const block = problem.blocks[index]!;
    at[index] = { x: spine - anchor(block), y };
    y += block.h + GAP.rank;
  }
  const w = Math.max(...problem.blocks.map((b, i) => at[i]!.x + b.w), 0);
  const route = (link: Link, lane: keyof Lane): Curve => routed(problem, at, order, link, lane);
  return {
    w,
    h: Math.max(0, y - GAP.rank),
    at,
    forward: problem.links.map((link) => route(link, "f")),
    backward: problem.links.map((link) => (link.grad ? route(link, "b") : null)),
  };
}

const rank = (block: Block): number => (block.rank === "first" ? 0 : block.rank === "last" ? 2 : 1);

/** The lane that is to stand straight under those above. */
const anchor = (block: Block): number => block.ins[0]?.f ?? block.outs[0]?.f ?? block.w / 2;

function routed(
  problem: Problem,
  at: { x: number; y: number }[],
  order: number[],
  link: Link,
  lane: keyof Lane,
): Curve {
  const [from, to] = [problem.blocks[link.from]!, problem.blocks[link.to]!];
  const [a, b] = [at[link.from]!, at[link.to]!];
  const x0 = a.x + (from.outs[link.out]?.[lane] ?? from.w / 2);
  const x1 = b.x + (to.ins[link.in]?.[lane] ?? to.w / 2);
  const [y0, y1] = [a.y + from.h, b.y];
  const apart = order.indexOf(link.to) - order.indexOf(link.from);
  if (apart === 1) return vertical(x0, y0, x1, y1);
  const side = lane === "f" ? -1 : 1;
  const bulge = side * Math.min(160, 60 + Math.abs(apart) * 12);
  return [x0, y0, x0 + bulge, y0 + 40, x1 + bulge, y1 - 40, x1, y1];
}
