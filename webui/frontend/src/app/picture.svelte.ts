/**
 * The picture of a step: what is drawn, where, and the camera. It knows no element of the page: `Screen` draws,
 * `Layout` places, and the owner passes the situation to it.
 */
import { between, type Camera, panesBetween, viewOf } from "../camera/camera";
import { type Cue, Director, DWELL_MS, type Mode } from "../camera/director";
import { Recurrence, type Share } from "../camera/recurrence";
import { type Pane, type Scenery, shows, type Spell } from "../camera/shot";
import { compose, type Placement } from "../layout/compose";
import { extended } from "../layout/extend";
import { overlaps, type Rect, union } from "../layout/geometry";
import { solveLinear } from "../layout/linear";
import { opsIn } from "../model/card";
import { type Item, lensAround, type Module } from "../model/module";
import { LANE, type Structure } from "../model/structure";
import type { Aim } from "../model/url";
import { covers, type Visible } from "../model/visible";
import { legibleAt } from "../theme/scale";
import { setBusy } from "./idle";

/** The state to draw, and the user's choices. */
export interface Situation {
  graph: Structure;
  visible: Visible;
  /** Whether the program is running and its newest step is shown. */
  live: boolean;
  /** Whether no step was drawn before this one, and none has begun after it. */
  first?: boolean;
  /** Whether the newest moment is shown, rather than one that the user chose. */
  atEnd: boolean;
  playing: boolean;
  /** Whether the program is paused. */
  paused: boolean;
  /** Whether the step that is shown ended in an error. */
  failed: boolean;
  position: number;
  /** The key of the item that acts at this moment, and of the item that the user has selected. */
  acting: string | null;
  chosen: string | null;
  /** A complete step that this one begins like, as it would be drawn: it determines the places. */
  likely?: (visible: Visible) => Visible | null;
}

export interface Screen {
  readonly pane: Pane;
  readonly camera: Camera;
  /** Sets new places. The world has moved by `dx`, `dy` under the items that stay in place. */
  arrange(visible: Visible, placement: Placement, dx: number, dy: number): void;
  relabel(visible: Visible): void;
  turn(camera: Camera, cut: boolean): void;
}

export interface Layout {
  request(visible: Visible, awaited: boolean): void;
}

/** A drawn picture of a graph, with places made for it or for a picture that contains it. */
interface Shown {
  visible: Visible;
  graph: Structure;
  placement: Placement;
  placedFor: Visible;
}

/**
 * How long the picture of the step before is kept when a step of another kind begins, so that a few boxes do not flash
 * up large.
 */
const HOLD_MS = 400;

/** How long what acts may be without a place before it is shown in the plain layout, and how much that lays out. */
const PLAIN_AFTER_MS = 250;
const PLAIN_UP_TO = 300;

export class Picture {
  shown = $state.raw<Shown | null>(null);
  mode = $state<Mode>("resting");
  /** The key of the item that the camera shows. */
  subject = $state<string | null>(null);

  private readonly director = new Director();
  private readonly recurrence = new Recurrence();
  private now: Situation | null = null;
  private readonly requested = new WeakMap<Visible, Structure>();
  /** The box that keeps its place on the screen in the next layout: a fold that was opened or closed. */
  private anchor: string | null = null;
  /** The box in the middle since the user placed the camera: what comes near it later is not what they look at. */
  private looked: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Since when a step has been running without being shown. */
  private held: { since: number; timer: ReturnType<typeof setTimeout> | undefined } | null = null;
  /** The last request to the layout thread, until it is answered. */
  private awaited: Visible | null = null;
  /** Since when what acts in a running program has had no place. */
  private placeless: number | null = null;
  /** The card of the stack that showed the acting op, and when it last did. */
  private stackActed: { key: string; at: number } | null = null;
  /**
   * Whether the selection changed last, rather than the acting op. If there is room for only one, the camera shows that
   * one.
   */
  private chosenLast = false;

  constructor(
    private readonly screen: Screen,
    private readonly layout: Layout,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Whether the user or a link has placed the camera, rather than the director. */
  get placed(): boolean {
    return this.director.placed;
  }

  stop(): void {
    clearTimeout(this.timer);
    setBusy("camera", false);
    this.release();
  }

  /** Takes the current situation. */
  update(next: Situation): void {
    const before = this.now;
    this.now = next;
    const cue = cueOf(before, next);
    if (cue && !(before === null && this.placed)) this.cue(cue);
    if (before && next.graph !== before.graph) this.director.renew();
    if (before && next.chosen !== before.chosen) this.choose();
    else if (before && next.acting !== before.acting) this.chosenLast = false;
    if (!this.picture(next)) this.direct();
  }

  cue(cue: Cue): void {
    this.director.cue(cue);
    this.mode = this.director.mode;
    if (this.now) this.direct();
  }

  /** Handles a link that sets the camera. */
  fix(aim: Aim | null): void {
    if (aim === null) return;
    this.looked = null;
    this.director.fix(aim);
    this.mode = this.director.mode;
    this.direct();
  }

  /** Handles a user who moves the camera. */
  leave(camera: Camera): void {
    this.looked = null;
    this.director.leave(camera);
    this.mode = "away";
    this.direct(true);
  }

  /** Keeps the box with this key at its place on the screen. */
  hold(key: string): void {
    this.anchor = key;
  }

  /** Handles a changed size of the pane, or changed bars over it. */
  resized(): void {
    this.direct(true);
  }

  /** Handles the layout thread's answer. */
  placedAt(placement: Placement, visible: Visible, final: boolean): void {
    const { now } = this;
    if (final && visible === this.awaited) this.awaited = null;
    if (!now || (!final && this.shown?.visible === now.visible)) return;
    const own = this.requested.get(visible) === now.graph;
    if (own && this.grown(placement, visible, now.visible, now.graph)) return;
    if (own) this.arrange(placement, visible, visible, now.graph);
    else if (covers(visible, now.visible)) this.arrange(placement, visible, now.visible, now.graph);
  }

  /** Requests a layout if the current places do not fit what is to be drawn. */
  private picture(next: Situation): boolean {
    const { shown } = this;
    const { visible, graph, live } = next;
    if (shown?.visible === visible || visible.items.size === 0) return false;
    if (shown && keepsPlaces(shown.placedFor, visible, live)) {
      this.release();
      this.shown = { ...shown, visible, graph };
      this.screen.relabel(visible);
      return false;
    }
    const likely = live ? (next.likely?.(visible) ?? null) : null;
    if (likely === null && this.holds(next)) return false;
    this.release();
    const seen = shown?.graph === graph && this.grown(shown.placement, shown.visible, visible, graph);
    if (likely === null) this.requested.set(visible, graph);
    if (likely === null || likely !== this.awaited) this.layout.request(likely ?? visible, !seen);
    this.awaited = likely;
    this.hurry(next);
    return true;
  }

  /** Shows the plain layout where a program runs ahead of the layout thread. */
  private hurry({ visible, graph, live, acting }: Situation): void {
    const coming = live && acting !== null && visible.items.has(visible.shown.get(acting) ?? acting);
    if (!coming || !this.shown || this.rectOf(this.acting) !== null) this.placeless = null;
    else this.placeless ??= this.clock();
    if (this.placeless === null || this.clock() - this.placeless < PLAIN_AFTER_MS) return;
    if (visible.items.size <= PLAIN_UP_TO) this.arrange(compose(visible, solveLinear), visible, visible, graph);
  }

  /** Whether the picture of the step before stays for now, because only the beginning of this step has arrived. */
  private holds({ visible, graph, live, paused }: Situation): boolean {
    const { shown } = this;
    if (!shown || shown.graph === graph || !live || paused) return false;
    if (visible.items.size >= shown.visible.items.size) return false;
    this.held ??= { since: this.clock(), timer: undefined };
    const left = this.held.since + HOLD_MS - this.clock();
    if (left <= 0) return false;
    clearTimeout(this.held.timer);
    this.held.timer = setTimeout(() => this.now && this.update(this.now), left);
    setBusy("step", true);
    return true;
  }

  private release(): void {
    if (!this.held) return;
    clearTimeout(this.held.timer);
    this.held = null;
    setBusy("step", false);
  }

  /** Shows new items at once, before a layout. False if the new picture does not just add items. */
  private grown(placement: Placement, placedFor: Visible, next: Visible, graph: Structure): boolean {
    if (next === placedFor) return false;
    const places = extended(placement, placedFor, next);
    if (places) this.arrange(places, next, next, graph);
    return places !== null;
  }

  private arrange(placement: Placement, placedFor: Visible, visible: Visible, graph: Structure): void {
    const before = this.shown;
    this.shown = { visible, graph, placement, placedFor };
    const [dx, dy] = before ? this.drift(before, placement) : [0, 0];
    const inHand = this.anchor !== null;
    this.anchor = null;
    this.director.shift(dx, dy);
    this.screen.arrange(visible, placement, dx, dy);
    this.direct(before === null || !(inHand || this.inSight()), true);
  }

  /**
   * How far the user's subject has moved: the fold being opened or closed, the acting item, or the item in the middle.
   */
  private drift(before: Shown, { boxes }: Placement): [number, number] {
    const inBoth = (key: string | null): boolean => key !== null && before.placement.boxes.has(key) && boxes.has(key);
    const subjects = [this.anchor, this.placed ? this.looked : this.subject];
    const key = subjects.find(inBoth) ?? (this.looked = this.inTheMiddle(before, inBoth));
    if (key === null) return [0, 0];
    const [a, b] = [before.placement.boxes.get(key)!, boxes.get(key)!];
    return [b.x - a.x, b.y - a.y];
  }

  /** The card that is nearest to the middle of the pane; the frame around it may grow while the card stays. */
  private inTheMiddle({ visible, placement }: Shown, qualifies: (key: string) => boolean): string | null {
    const { camera, pane } = this.screen;
    const [x, y] = [camera.x + pane.width / camera.zoom / 2, camera.y + pane.height / camera.zoom / 2];
    let [nearest, least]: [string | null, number] = [null, Infinity];
    for (const key of visible.items.keys()) {
      if (!qualifies(key)) continue;
      const rect = placement.boxes.get(key)!;
      const far = Math.hypot(rect.x + rect.w / 2 - x, rect.y + rect.h / 2 - y);
      if (far < least) [nearest, least] = [key, far];
    }
    return nearest;
  }

  private choose(): void {
    const rect = this.rectOf(this.now!.chosen);
    this.chosenLast = this.now!.chosen !== null;
    if (rect) this.director.choose(rect, this.screen.pane);
    this.mode = this.director.mode;
  }

  /** Moves the camera to where the director wants it, now or when it may next move. */
  private direct(cut = false, moved = false): void {
    clearTimeout(this.timer);
    const { shown, now, screen } = this;
    if (!shown || !now) return;
    this.noteStack();
    const resting = this.mode === "resting";
    const acting = resting ? null : (this.chosenToShow() ?? this.acting);
    const known = resting || this.rectOf(acting) !== null || this.rectOf(this.subject) === null;
    const wanted = this.boxOf(known ? acting : this.subject); // what acts may have no place yet: it is being laid out
    const scenery = { ...this.scenery(wanted), ...this.repetition(acting) };
    const { camera, wait } = this.director.direct(scenery, screen.pane, this.clock(), moved);
    if (wait === 0 || this.director.sees(scenery, screen.pane) || this.rectOf(this.subject) === null)
      this.subject = wanted;
    setBusy("camera", wait > 0 && !scenery.recurring?.length); // it may wait for long for what recurs
    if (wait > 0) this.timer = setTimeout(() => this.direct(), wait);
    const lost = this.mode === "directing" && scenery.subject !== null && !this.touches(scenery.subject);
    screen.turn(camera, cut || this.placed || lost || !this.leadsOverBoxes(camera));
  }

  /** The box to look at: for an open frame, in which an op acts that has no place yet, the last box in it. */
  private boxOf(key: string | null): string | null {
    const { visible, placement } = this.shown!;
    if (key === null || visible.items.has(key) || !visible.modules.has(key)) return key;
    const isIn = (frame: Module | null | undefined): boolean =>
      frame?.parent ? frame.key === key || isIn(frame.parent) : false;
    const inside = [...visible.items.values()].filter((each) => isIn(visible.modules.get(each.frame)));
    return inside.findLast((each) => placement.boxes.has(each.key))?.key ?? key;
  }

  /** Whether a box is in sight all the way from where the camera is. */
  private leadsOverBoxes(to: Camera): boolean {
    const { camera: from, pane } = this.screen;
    if (from.x === to.x && from.y === to.y && from.zoom === to.zoom) return true;
    const rects = [...this.shown!.visible.items.keys()].flatMap((key) => this.rectOf(key) ?? []);
    const stops = Math.ceil(2 * panesBetween(from, to, pane)) + 3; // from one to the next at most half a pane
    return Array.from({ length: stops }, (_, i) => i / stops).every((part) => {
      const view = viewOf(between(from, to, part), pane);
      return rects.some((rect) => overlaps(view, rect));
    });
  }

  /** Where a program that is too fast to be followed was, again and again, and where it will be next. */
  private repetition(acting: string | null): Pick<Scenery, "recurring" | "coming"> {
    const { now, recurrence } = this;
    if (!now!.live || now!.paused) recurrence.forget();
    if (!now!.live || now!.paused || acting === null) return {};
    const time = this.clock();
    recurrence.note(acting, time);
    const placed = (shares: readonly Share[]): Spell[] =>
      shares.flatMap(({ key, ms }) => {
        const rect = this.rectOf(key);
        return rect ? [{ rect, ms }] : [];
      });
    return { recurring: placed(recurrence.shares(time)), coming: placed(recurrence.coming(time, DWELL_MS)) };
  }

  /** The key of the selected box, if the camera is to show it because the program is not running; else null. */
  private chosenToShow(): string | null {
    if (this.mode !== "held" || !this.chosenLast) return null;
    const key = this.keyShown(this.now!.chosen);
    return this.rectOf(key) === null ? null : key;
  }

  private touches(rect: Rect): boolean {
    return overlaps(viewOf(this.screen.camera, this.screen.pane), rect);
  }

  /** Whether the camera shows what acts, if anything does. */
  private inSight(): boolean {
    const acting = this.mode === "resting" ? null : this.rectOf(this.acting);
    return acting === null || shows(this.screen.camera, acting, this.screen.pane);
  }

  /**
   * The key of the box that shows the acting op: its own, or, while it has no place, the smallest box around it. In a
   * fast program, passes are shown on the card of their stack, even while their instance is drawn open.
   */
  get acting(): string | null {
    const key = this.actingBox();
    const stack = key === null ? undefined : lensAround(this.shown!.visible.modules.get(this.frameOf(key)))?.parent;
    const { stackActed, now } = this;
    if (!stack || !now!.live || now!.paused || stackActed?.key !== stack.key) return key;
    return this.clock() < stackActed.at + DWELL_MS ? stack.key : key;
  }

  private noteStack(): void {
    const key = this.actingBox();
    if (key !== null && this.shown!.visible.items.get(key)?.cells !== undefined)
      this.stackActed = { key, at: this.clock() };
  }

  private frameOf(key: string): string {
    return this.shown!.visible.items.get(key)?.frame ?? key;
  }

  private actingBox(): string | null {
    const { shown, now } = this;
    if (!shown || !now || now.acting === null) return null;
    const key = shown.visible.shown.get(now.acting) ?? now.acting;
    const item = shown.visible.items.get(key)?.host ?? key;
    if (shown.placement.boxes.has(item)) return item;
    const coming = now.visible.shown.get(now.acting) ?? now.acting;
    let module = now.visible.modules.get(now.visible.items.get(coming)?.frame ?? "");
    while (module && !shown.placement.boxes.has(module.key)) module = module.parent ?? undefined;
    return module && module.parent ? module.key : item;
  }

  private scenery(subject: string | null): Scenery {
    const { visible, placement } = this.shown!;
    const chosen = this.rectOf(this.now!.chosen);
    const key = subject ?? (chosen ? this.keyShown(this.now!.chosen) : null);
    const stages: Rect[] = [];
    const beside = key === null ? undefined : visible.modules.get(key)?.modules.find((m) => m.lens);
    let reach = beside ? this.withStack(beside) : null; // a lens and its stack's card are looked at together
    if (reach) stages.push(reach);
    let frame = visible.modules.get(key === null ? "" : (visible.items.get(key)?.frame ?? key));
    for (; frame && frame.parent !== null; frame = frame.lens ? frame.parent.parent! : frame.parent) {
      const rect = placement.boxes.get(frame.key);
      if (rect && frame.key !== key) stages.push(reach ? union([rect, reach]) : rect);
      reach = (frame.lens ? this.withStack(frame) : null) ?? reach;
      if (frame.lens && reach) stages.push(reach);
    }
    const rect = this.rectOf(subject);
    return {
      subject: rect,
      also: chosen,
      stages,
      bounds: placement.bounds,
      boxes: rect === null ? telling(this.shown!).flatMap(({ key }) => placement.boxes.get(key) ?? []) : [],
      legible: legibleAt(visible.small),
      growing: this.mode === "directing" && this.now!.live && this.now!.first === true,
    };
  }

  /** The area of a lens and of the card of its stack. */
  private withStack(lens: Module): Rect | null {
    const { boxes } = this.shown!.placement;
    const [a, b] = [boxes.get(lens.key), boxes.get(lens.parent!.key)];
    return a && b ? union([a, b]) : null;
  }

  private keyShown(key: string | null): string | null {
    return key === null ? null : (this.shown?.visible.shown.get(key) ?? key);
  }

  /** The place of an item: its own box, or that of the fold around it. */
  private rectOf(key: string | null): Rect | null {
    const at = this.keyShown(key);
    return at === null ? null : (this.shown?.placement.boxes.get(at) ?? null);
  }
}

/**
 * What the camera shows at rest: the part through which gradients flow, if there is one, without lenses; and before the
 * graphs of gradients, the graph that they belong to.
 */
function telling({ visible, graph }: Shown): Item[] {
  const main = [...visible.items.values()].filter(({ frame }) => !lensAround(visible.modules.get(frame)));
  const recorded = (id: number): boolean => graph.nodes.has(id) && graph.nodes.get(id)!.recorded !== false;
  const inGraph = main.filter(({ key, kind, id, host }) => {
    const module = visible.modules.get(host ?? key);
    return module ? opsIn(module).some(recorded) : kind === "op" && recorded(id);
  });
  const forward = inGraph.filter(({ key, frame }) => !`${frame}/${key}`.includes(`/${LANE}`));
  return [forward, inGraph, main].find((items) => items.length > 0) ?? [];
}

/** Whether the new picture can use the old places: it is equal, or a running step that begins like the one before. */
function keepsPlaces(placedFor: Visible, next: Visible, live: boolean): boolean {
  return (
    placedFor.narrow === next.narrow &&
    placedFor.packed === next.packed &&
    placedFor.room?.w === next.room?.w &&
    placedFor.room?.h === next.room?.h &&
    covers(placedFor, next) &&
    (live || placedFor.parts.size === next.parts.size)
  );
}

/** The instruction to the director when one situation follows another. */
export function cueOf(before: Situation | null, now: Situation): Cue | null {
  const following = now.live && now.atEnd;
  if (before === null) return now.paused ? "hold" : following ? "follow" : now.atEnd ? ending(now) : "hold";
  if (now.playing !== before.playing) return now.playing ? "follow" : "hold";
  if (now.playing) return null;
  if (now.paused !== before.paused && following) return now.paused ? "hold" : "follow";
  if (now.paused && following && now.acting !== before.acting) return "hold";
  if (!now.atEnd) return now.position !== before.position || before.atEnd ? "hold" : null;
  if (now.failed && !before.failed) return "fail";
  if (before.live && !now.live) return "end";
  if (following && !(before.live && before.atEnd)) return now.paused ? "hold" : "follow";
  return !before.atEnd && !now.live ? ending(now) : null;
}

const ending = ({ failed }: Situation): Cue => (failed ? "hold" : "rest");
