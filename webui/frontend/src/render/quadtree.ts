/** Finds the items in a rectangle without checking all items. */
import { overlaps, type Rect } from "../layout/geometry";

const FULL = 16;
const DEEPEST = 12;

interface Entry<T> {
  rect: Rect;
  value: T;
}

export class Quadtree<T> {
  private entries: Entry<T>[] = [];
  private quarters: Quadtree<T>[] | null = null;

  constructor(
    private readonly bounds: Rect,
    private readonly depth = 0,
  ) {}

  add(rect: Rect, value: T): void {
    const quarter = this.quarters?.find((q) => holds(q.bounds, rect));
    if (quarter) return quarter.add(rect, value);
    this.entries.push({ rect, value });
    if (!this.quarters && this.entries.length > FULL && this.depth < DEEPEST) this.split();
  }

  /** Calls `found` with everything that touches `area`, in no particular order. */
  each(area: Rect, found: (value: T) => void): void {
    if (this.depth > 0 && !overlaps(this.bounds, area)) return;
    for (const { rect, value } of this.entries) if (overlaps(rect, area)) found(value);
    if (this.quarters) for (const quarter of this.quarters) quarter.each(area, found);
  }

  /** Whether at most `count` items touch `area`; checks no more of them than needed. */
  atMost(count: number, area: Rect): boolean {
    return this.left(count, area) >= 0;
  }

  private left(count: number, area: Rect): number {
    if (this.depth > 0 && !overlaps(this.bounds, area)) return count;
    for (const { rect } of this.entries) if (overlaps(rect, area) && (count -= 1) < 0) return count;
    for (const quarter of this.quarters ?? []) if ((count = quarter.left(count, area)) < 0) return count;
    return count;
  }

  private split(): void {
    const { x, y, w, h } = this.bounds;
    const [hw, hh] = [w / 2, h / 2];
    this.quarters = [
      [x, y],
      [x + hw, y],
      [x, y + hh],
      [x + hw, y + hh],
    ].map(([qx, qy]) => new Quadtree<T>({ x: qx!, y: qy!, w: hw, h: hh }, this.depth + 1));
    const mine = this.entries;
    this.entries = [];
    for (const { rect, value } of mine) this.add(rect, value);
  }
}

const holds = (outer: Rect, inner: Rect): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.w <= outer.x + outer.w &&
  inner.y + inner.h <= outer.y + outer.h;
