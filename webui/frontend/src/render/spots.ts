/**
 * Chooses the places of texts on lines, so that they overlap neither each other nor cards: the number of a gradient,
 * and the name of a lens's neighbour at its border.
 */
import type { PlacedEdge } from "../layout/compose";
import { type Curve, overlaps, pointAt, type Rect } from "../layout/geometry";

const MIDDLE = 0.5;
/** Positions along the line, the best first. */
const TRIES = [MIDDLE, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88] as const;
/** The size of a number such as ‖0.00663‖ with some space. */
const NUMBER = { w: 66, h: 16 } as const;
const SHORT = 100;
/** The name of what lies outside of a lens. */
const NAME = { w: 88, h: 14 } as const;
/** The offsets to try, the best first. */
const ASIDE = [0, 96, -96, 192, -192] as const;
/** In a larger picture, numbers are read at high zoom, one by one. */
const MOST = 600;

const spots = new WeakMap<PlacedEdge, number>();

/** The position of an edge's number along its backward line. */
export const spotOf = (edge: PlacedEdge): number => spots.get(edge) ?? MIDDLE;

const shifts = new WeakMap<PlacedEdge, number | null>();

/** The distance from a line's end, at the border of a lens, to its name at the right; null without room for the name. */
export const shiftOf = (edge: PlacedEdge): number | null => shifts.get(edge) ?? (shifts.has(edge) ? null : 0);

/** The end of a line at the border of a lens. */
export const endAtBorder = ({ stub, forward }: PlacedEdge): [x: number, y: number] =>
  stub === "in" ? [forward[0]!, forward[1]!] : [forward.at(-2)!, forward.at(-1)!];

/** Whether a line is more horizontal than vertical. */
export const isLevel = (curve: Curve): boolean =>
  Math.abs(curve[1]! - curve[curve.length - 1]!) < Math.abs(curve[0]! - curve[curve.length - 2]!);

/** Finds a place for each new edge; the others keep theirs. Short lines come first, since they have the least room. */
export function findSpots(edges: readonly PlacedEdge[], cards: readonly Rect[]): void {
  if (edges.length > MOST) return;
  findShifts(edges.filter(({ stub }) => stub));
  const taken: Rect[] = [];
  const take = (edge: PlacedEdge, line: Curve, spot: number): void => {
    spots.set(edge, spot);
    taken.push(numberAt(line, spot));
  };
  const short: [PlacedEdge, Curve][] = [];
  const long: [PlacedEdge, Curve][] = [];
  for (const edge of edges) {
    const { backward, headBackward, count } = edge;
    if (!backward || !headBackward) continue;
    if (count > 1 || spots.has(edge)) take(edge, backward, spotOf(edge));
    else (isShort(backward) ? short : long).push([edge, backward]);
  }
  for (const [edge, line] of short) take(edge, line, best(line, taken, []));
  for (const [edge, line] of long) take(edge, line, best(line, taken, cards));
}

function findShifts(edges: readonly PlacedEdge[]): void {
  const taken: Rect[] = [];
  for (const edge of edges) {
    const [x, y] = endAtBorder(edge);
    const at = (aside: number): Rect => ({ x: x + aside - NAME.w / 2, y, ...NAME });
    const aside = ASIDE.find((each) => !taken.some((other) => overlaps(other, at(each))));
    shifts.set(edge, aside ?? null);
    if (aside !== undefined) taken.push(at(aside));
  }
}

/** Whether a line is as short as from a card to its pill: then every place is at a card. */
const isShort = (line: Curve): boolean => Math.hypot(line.at(-2)! - line[0]!, line.at(-1)! - line[1]!) < SHORT;

function best(line: Curve, taken: readonly Rect[], cards: readonly Rect[]): number {
  let [found, least]: [number, number] = [MIDDLE, Infinity];
  for (const spot of TRIES) {
    const rect = numberAt(line, spot);
    const under = (many: readonly Rect[]): number => many.filter((other) => overlaps(other, rect)).length;
    const trouble = under(taken) + under(cards);
    if (trouble < least) [found, least] = [spot, trouble];
    if (least === 0) break;
  }
  return found;
}

/** Beside a vertical line, below a horizontal one. */
export function numberAt(line: Curve, spot: number): Rect {
  const [x, y] = pointAt(line, spot);
  return isLevel(line) ? { x: x - NUMBER.w / 2, y: y + 1, ...NUMBER } : { x: x + 5, y: y - NUMBER.h / 2, ...NUMBER };
}
