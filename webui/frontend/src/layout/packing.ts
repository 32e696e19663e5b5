/**
 * Packs a frame that is too large for the pane, while a program runs fast. A list in the order of the ops, continued in
 * columns, often fits where the ranks of dot do not: then the camera can stay, and sees all that acts.
 */
import { inColumns, type Room } from "./columns";
import { solveLinear } from "./linear";
import type { Problem, Solution } from "./problem";

/** The list must show this many times as much at once, since ranks are easier to read. */
const WORTH = 1.2;

export function packed(problem: Problem, solution: Solution, room: Room | null): Solution {
  if (room === null || (solution.w <= room.w && solution.h <= room.h)) return solution;
  const list = inColumns(problem, solveLinear(problem), room);
  return shareIn(list, room) > WORTH * shareIn(solution, room) ? list : solution;
}

/** The part of a frame that the pane shows at once. */
const shareIn = ({ w, h }: Solution, room: Room): number =>
  (Math.min(w, room.w) * Math.min(h, room.h)) / Math.max(1, w * h);
