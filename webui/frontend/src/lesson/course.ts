/** The state of a course, from its cards. */
import type { Card } from "./generated";

/** Finished: every exercise is passed or, without exercises, a cell was run. */
export const finished = (card: Card): boolean =>
  card.passed >= card.exercises && (card.exercises > 0 || card.touched === true);

/** The lesson to continue with: the latest that was begun and is not finished, else the first unfinished one. */
export function nextUp(lessons: readonly Card[]): Card | null {
  const open = lessons.filter((card) => !finished(card));
  return open.findLast((card) => card.touched) ?? open[0] ?? null;
}
