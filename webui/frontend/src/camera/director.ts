/**
 * Decides where the camera is. Only a gesture of the user makes it leave the program.
 *
 * | mode      | enters                                             | camera                              |
 * | --------- | -------------------------------------------------- | ----------------------------------- |
 * | directing | a live run opens, `f`, the Follow button, play     | shot of what acts                   |
 * | held      | pause, step, scrub, breakpoint, trouble, a crash   | shot of that event's op             |
 * | away      | the user moves the picture                         | where it was left                   |
 * | fixed     | a link or a lesson sets the view                   | exactly that                        |
 * | resting   | the run ended, or was over from the start          | the whole picture at reading size   |
 */
import type { Aim } from "../model/url";
import { type Camera, cameraAt, kept } from "./camera";
import { type Pane, reveal, type Scenery, shotOfRecurring, shotOf, shows, widened } from "./shot";
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

/** The time between two moves of a camera that follows a fast program. */
export const DWELL_MS = 500;

/** How soon to look again at an op that is out of sight, in a program that will soon be in sight again. */
const AGAIN_MS = 100;

/** How long after the beginning of a step the camera does not zoom in, because the next step may be larger again. */
export const CALM_MS = 1000;

export class Director {
  mode: Mode = "resting";
  private aim: Aim | null = null;
  private camera: Camera | null = null;
  /** When the camera last moved by its own choice, rather than because new items appeared in view. */
  private movedAt = -Infinity;
  private renewed = false;
  private renewedAt = -Infinity;

  cue(cue: Cue): void {
    this.mode = modeAfter(this.mode, cue);
    if (this.mode !== "fixed") this.aim = null;
    this.movedAt = -Infinity;
  }

  /** Handles a link that sets the view; null sets none. */
  fix(aim: Aim | null): void {
    if (aim === null) return;
    this.aim = aim;
    this.mode = "fixed";
  }

  /** Handles a user who moved the camera here. */
  leave(camera: Camera): void {
    this.mode = "away";
    this.aim = null;
    this.camera = camera;
  }

  /** Handles the beginning of another step: nothing of it is in view, so the camera does not wait. */
  renew(): void {
    this.renewed = true;
  }

  /** Moves the camera with what the user looks at, after a new layout moved it. */
  shift(dx: number, dy: number): void {
    if (this.camera) this.camera = { ...this.camera, x: this.camera.x + dx, y: this.camera.y + dy };
    if (this.aim) this.aim = { ...this.aim, x: this.aim.x + dx, y: this.aim.y + dy };
  }

  /** Shows what the user selected, if the camera is not moving for another reason. */
  choose(rect: Rect, pane: Pane): void {
    if (!this.camera || (this.mode !== "away" && this.mode !== "fixed")) return;
    const to = reveal(this.camera, rect, pane);
    if (to !== this.camera) this.leave(to);
  }

  /** Whether a user or a link placed the camera. */
  get placed(): boolean {
    return this.mode === "away" || this.mode === "fixed";
  }

  /**
   * Where the camera should be now. `wait` is set if it should move later, because it would otherwise move too often in
   * a fast program. `moved` means that all places are new.
   */
  direct(scenery: Scenery, pane: Pane, now: number, moved: boolean): { camera: Camera; wait: number } {
    const before = this.camera;
    if (this.renewed) this.renewedAt = now;
    const free = this.target(scenery, pane);
    const calm = this.mode === "directing" ? Math.max(0, this.renewedAt + CALM_MS - now) : 0;
    const closer = before !== null && calm > 0 && free.zoom > before.zoom && before.zoom >= scenery.legible;
    const to = closer ? widened(free, before.zoom, pane) : free;
    const recurs = (scenery.recurring?.length ?? 0) > 0;
    const hurry = moved || (this.renewed && !recurs) || before === null || this.mode !== "directing";
    const wait = hurry ? 0 : Math.max(0, this.movedAt + DWELL_MS - now);
    this.renewed = false;
    const { subject } = scenery;
    const missed = this.mode === "directing" && recurs && subject !== null && !shows(to, subject, pane);
    const later = missed ? AGAIN_MS : closer ? calm : 0;
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
    if (this.mode === "directing") return shotOfRecurring(scenery, pane, this.camera);
    return shotOf(scenery, pane, this.camera);
  }

  /** Whether the acting item is visible from where the camera is going. */
  sees(scenery: Scenery, pane: Pane): boolean {
    return this.camera !== null && scenery.subject !== null && shows(this.camera, scenery.subject, pane);
  }
}

const same = (a: Camera, b: Camera): boolean =>
  Math.abs(a.x - b.x) < 0.01 && Math.abs(a.y - b.y) < 0.01 && Math.abs(a.zoom - b.zoom) < 1e-6;
