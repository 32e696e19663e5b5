/** The movement of a camera from one place to another, at a speed that the eye can follow. Pure. */
import { between, type Camera } from "./camera";

export const GLIDE_MS = 320;

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
    if (now <= this.start) return from;
    return between(from, to, this.pace((now - this.start) / (this.end - this.start)));
  }

  /**
   * Continues to another place, arriving at the same time, so that a camera whose target keeps changing still arrives.
   * If it should have arrived by now, and no frame has been drawn since, it is there at once.
   */
  on(to: Camera, now: number): Glide {
    return new Glide(this.at(now), to, now, Math.max(now, this.end), onTheWay);
  }

  /** The same movement in a world that has moved. */
  moved(dx: number, dy: number): Glide {
    const there = (c: Camera): Camera => ({ ...c, x: c.x + dx, y: c.y + dy });
    return new Glide(there(this.from), there(this.to), this.start, this.end, this.pace);
  }
}
