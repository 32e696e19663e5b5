/**
 * Who decides where the camera stands. Only a person's gesture makes it leave the program.
 *
 * | mode      | enters                                             | camera                              |
 * | --------- | -------------------------------------------------- | ----------------------------------- |
 * | directing | a live run opens, `f`, the Follow button, play     | shot of what acts                   |
 * | held      | pause, step, scrub, breakpoint, trouble, a crash   | shot of that event's op             |
 * | away      | a person moves the picture                         | where it was left                   |
 * | fixed     | a link or a lesson says where to look              | exactly that                        |
 * | resting   | the run ended, or was over from the start          | the whole picture at reading size   |
 */
import type { Aim } from "../model/url";
import { type Camera, cameraAt, kept } from "./camera";
import { type Pane, reveal, type Scenery, shotOf, shows, widened } from "./shot";
import type { Rect } from "../layout/geometry";

export type Mode = "directing" | "held" | "away" | "fixed" | "resting";

export type Cue =
  /** A person moved the picture. */
  | "gesture"
  /** `f`, the Follow button, play, continue. */
  | "follow"
  /** Pause, step, scrub, a breakpoint, trouble. */
  | "hold"
  /** The run ended. */
  | "end"
  /** The run ended in an error. */
  | "fail"
  /** The whole picture is asked for. */
  | "rest";

export function modeAfter(mode: Mode, cue: Cue): Mode {
  switch (cue) {
    case "gesture":
      return "away";
    case "follow":
      return "directing";
    case "hold":
      return "held";
    case "rest":
      return "resting";
    case "end":
      return mode === "directing" ? "resting" : mode;
    case "fail":
      return mode === "directing" || mode === "resting" ? "held" : mode;
  }
}

/** Between two moves of a camera that follows a fast program. */
export const DWELL_MS = 500;

/** So long after a step began the camera comes no closer: the next one may be larger again. */
export const CALM_MS = 1000;

export class Director {
  mode: Mode = "resting";
  private aim: Aim | null = null;
  private camera: Camera | null = null;
  /** When it last moved by its own choice, and not because there was something new where it stood. */
  private movedAt = -Infinity;
  private renewed = false;
  private renewedAt = -Infinity;

  cue(cue: Cue): void {
    this.mode = modeAfter(this.mode, cue);
    if (this.mode !== "fixed") this.aim = null;
    this.movedAt = -Infinity;
  }

  /** A link says where to look; null asks for nothing. */
  fix(aim: Aim | null): void {
    if (aim === null) return;
    this.aim = aim;
    this.mode = "fixed";
  }

  /** A person moved the camera to there. */
  leave(camera: Camera): void {
    this.mode = "away";
    this.aim = null;
    this.camera = camera;
  }

  /** Another step begins: of it there is nothing yet where the camera stands, so it does not wait. */
  renew(): void {
    this.renewed = true;
  }

  /** A new layout moved what a person looks at: the camera goes with it. */
  shift(dx: number, dy: number): void {
    if (this.camera) this.camera = { ...this.camera, x: this.camera.x + dx, y: this.camera.y + dy };
    if (this.aim) this.aim = { ...this.aim, x: this.aim.x + dx, y: this.aim.y + dy };
  }

  /** A person chose something: where the camera stands still otherwise, it shows it. */
  choose(rect: Rect, pane: Pane): void {
    if (!this.camera || (this.mode !== "away" && this.mode !== "fixed")) return;
    const to = reveal(this.camera, rect, pane);
    if (to !== this.camera) this.leave(to);
  }

  /** Whether the camera stands where a person or a link put it. */
  get placed(): boolean {
    return this.mode === "away" || this.mode === "fixed";
  }

  /**
   * Where the camera is to stand now. `wait` is set where it is to move later: a fast program would make it run about.
   * `moved` says that the places are new, so that nothing is where it was.
   */
  direct(scenery: Scenery, pane: Pane, now: number, moved: boolean): { camera: Camera; wait: number } {
    const before = this.camera;
    if (this.renewed) this.renewedAt = now;
    const free = this.target(scenery, pane);
    const calm = this.mode === "directing" ? Math.max(0, this.renewedAt + CALM_MS - now) : 0;
    const closer = before !== null && calm > 0 && free.zoom > before.zoom && before.zoom >= scenery.legible;
    const to = closer ? widened(free, before.zoom, pane) : free;
    const hurry = moved || this.renewed || before === null || this.mode !== "directing";
    const wait = hurry ? 0 : Math.max(0, this.movedAt + DWELL_MS - now);
    this.renewed = false;
    const later = closer ? calm : 0;
    if (before && same(before, to)) return { camera: before, wait: later };
    if (before && wait > 0) return { camera: before, wait };
    this.camera = to;
    if (!hurry) this.movedAt = now;
    return { camera: to, wait: later };
  }

  private target(scenery: Scenery, pane: Pane): Camera {
    if (this.mode === "fixed" && this.aim) return cameraAt(this.aim, pane);
    if (this.mode === "away" && this.camera) return kept(this.camera, scenery.bounds, pane);
    if (this.mode === "resting" && !scenery.also) return shotOf({ ...scenery, subject: null }, pane, this.camera);
    if (this.mode === "resting") return shotOf({ ...scenery, subject: scenery.also, also: null }, pane, this.camera);
    return shotOf(scenery, pane, this.camera);
  }

  /** Whether what acts is in sight, at the place the camera goes to. */
  sees(scenery: Scenery, pane: Pane): boolean {
    return this.camera !== null && scenery.subject !== null && shows(this.camera, scenery.subject, pane);
  }
}

const same = (a: Camera, b: Camera): boolean =>
  Math.abs(a.x - b.x) < 0.01 && Math.abs(a.y - b.y) < 0.01 && Math.abs(a.zoom - b.zoom) < 1e-6;
