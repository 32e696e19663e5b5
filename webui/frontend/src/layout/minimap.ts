/** The picture in a corner of itself: places made small, many of them as one path. */
import type { Placement } from "./compose";
import type { Rect } from "./geometry";

/** How much smaller a picture is drawn so that it fits. */
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
