/** The picture in a corner of itself: places made small, many of them as one path. */
import type { Placement } from "./compose";
import { overlaps, type Rect } from "./geometry";

/** The scale at which a picture fits. */
export const scaled = ({ w, h }: Rect, most: { w: number; h: number }): number =>
  Math.min(most.w / Math.max(1, w), most.h / Math.max(1, h));

export const onMap = (bounds: Rect, scale: number, rect: Rect): Rect => ({
  x: (rect.x - bounds.x) * scale,
  y: (rect.y - bounds.y) * scale,
  w: rect.w * scale,
  h: rect.h * scale,
});

/** The outlines of all boxes that are wanted. */
export function outlined({ boxes, bounds }: Placement, scale: number, wanted: (key: string) => boolean): string {
  let path = "";
  for (const [key, rect] of boxes) {
    if (!wanted(key)) continue;
    const { x, y, w, h } = onMap(bounds, scale, rect);
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;
  }
  return path;
}

/** Whether a picture is so much larger than what is seen of it that it needs a map. */
export const needsMap = (bounds: Rect, view: Rect): boolean => bounds.w > 1.15 * view.w || bounds.h > 1.15 * view.h;

/** The corner of the map in the pane: above or below, at the left or at the right. */
export interface Corner {
  low: boolean;
  left: boolean;
}

export const CORNERS: readonly Corner[] = [
  { low: false, left: false },
  { low: true, left: true },
  { low: false, left: true },
];

/** The corner where least of what is in sight would lie under the map, and nothing of what acts: where it is, if that is as good. */
export function freeCorner(
  now: Corner,
  rectAt: (corner: Corner) => Rect,
  boxes: Iterable<Rect>,
  acting: Rect | null,
): Corner {
  const rects = CORNERS.map(rectAt);
  const under = CORNERS.map((_, i) => (acting && overlaps(rects[i]!, acting) ? Infinity : 0));
  for (const box of boxes) rects.forEach((rect, i) => (under[i]! += shared(rect, box)));
  const least = Math.min(...under);
  const here = CORNERS.findIndex((each) => each.low === now.low && each.left === now.left);
  return under[here]! <= least ? now : CORNERS[under.indexOf(least)]!;
}

const shared = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
