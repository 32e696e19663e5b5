/** The movement of a camera from one place to another, at a speed that the eye can follow. Pure. */
import type { Camera } from "./camera";

export const GLIDE_MS = 320;

const mixed = (from: number, to: number, part: number): number => from + (to - from) * part;

/** Slow at both ends. */
const fromRest = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2);
/** Slow at the end alone. */
const onTheWay = (t: number): number => 1 - (1 - t) ** 3;

export class Glide {
  constructor(
    private readonly from: Camera,
    readonly to: Camera,
    private readonly start: number,
    private readonly end = start + GLIDE_MS,
    private readonly pace = fromRest,
  ) {}

  isOver(now: number): boolean {
    return now >= this.end;
  }

  at(now: number): Camera {
    const { from, to } = this;
    if (this.isOver(now)) return to;
    const part = this.pace(Math.max(0, (now - this.start) / (this.end - this.start)));
    return { x: mixed(from.x, to.x, part), y: mixed(from.y, to.y, part), zoom: mixed(from.zoom, to.zoom, part) };
  }

  /**
   * Continues to another place, arriving at the same time, so that a camera whose target keeps changing still arrives.
   */
  on(to: Camera, now: number): Glide {
    return new Glide(this.at(now), to, now, this.end, onTheWay);
  }

  /** The same movement in a world that has moved. */
  moved(dx: number, dy: number): Glide {
    const there = (c: Camera): Camera => ({ ...c, x: c.x + dx, y: c.y + dy });
    return new Glide(there(this.from), there(this.to), this.start, this.end, this.pace);
  }
}
