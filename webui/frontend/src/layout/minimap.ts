/** A minimap of the picture: many boxes drawn as one path. */
import type { Placement } from "./compose";
import type { Rect } from "./geometry";

/** The scale at which a picture fits. */
export const scaled = ({ w, h }: Rect, most: { w: number; h: number }): number =>
  Math.min(most.w / Math.max(1, w), most.h / Math.max(1, h));

export const onMap = (bounds: Rect, scale: number, rect: Rect): Rect => ({
  x: (rect.x - bounds.x) * scale,
  y: (rect.y - bounds.y) * scale,
  w: rect.w * scale,
  h: rect.h * scale,
});

/** The outlines of all wanted boxes. */
export function outlined({ boxes, bounds }: Placement, scale: number, wanted: (key: string) => boolean): string {
  let path = "";
  for (const [key, rect] of boxes) {
    if (!wanted(key)) continue;
    const { x, y, w, h } = onMap(bounds, scale, rect);
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;
  }
  return path;
}

/** Whether the picture is so much larger than the visible part that it needs a map. */
export const needsMap = (bounds: Rect, view: Rect): boolean => bounds.w > 1.15 * view.w || bounds.h > 1.15 * view.h;

/** A place of the map at the border of the pane: from its left and top, 0, to its right and bottom, 1. */
export interface Spot {
  across: number;
  down: number;
}

/** The best first; the lower right has the buttons. */
export const SPOTS: readonly Spot[] = [
  { across: 1, down: 0 },
  { across: 0, down: 1 },
  { across: 0, down: 0 },
  { across: 1, down: 0.5 },
  { across: 0, down: 0.5 },
  { across: 0.5, down: 0 },
  { across: 0.5, down: 1 },
];

/**
 * The place where the map covers least, and whether it covers nothing there. Prefers the current place if equally good.
 */
export function freeSpot(
  now: Spot,
  rectAt: (spot: Spot) => Rect,
  boxes: readonly Rect[],
): { spot: Spot; free: boolean } {
  const under = (spot: Spot): number => {
    const rect = rectAt(spot);
    return boxes.reduce((sum, box) => sum + shared(rect, box), 0);
  };
  const least = Math.min(...SPOTS.map(under));
  const spot = under(now) <= least ? now : SPOTS.find((each) => under(each) <= least)!;
  return { spot, free: least === 0 };
}

const shared = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
