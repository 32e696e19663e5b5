/**
 * Decides what of a step is drawn, which boxes the current moment highlights, in which colours, and what the camera
 * shows. It knows no element of the page; the pane sets its size and shows its results.
 */
import { untrack } from "svelte";
import { fewerBoxes, LEAST_BOXES } from "../camera/crowd";
import { DWELL_MS } from "../camera/director";
import type { Pane } from "../camera/shot";
import type { Placement } from "../layout/compose";
import { opTrouble } from "../model/card";
import { nodeAbout, nodeOf } from "../model/events";
import type { Module } from "../model/module";
import { MOST_BOXES, openedWithin } from "../model/opening";
import { type Range, rangeOf } from "../model/overlay";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import { covers, type Visible, visibleGraph, type Wish } from "../model/visible";
import type { AnyRecord } from "../protocol";
import { roomIn } from "../theme/scale";
import { PALETTES } from "../theme/colour";
import type { Picture, Situation } from "./picture.svelte";
import type { Session } from "./session.svelte";
import { grouped, t } from "../language/text";

export interface Moment {
  state: State;
  event: AnyRecord | null;
}

/** The picture of an earlier step. */
interface Drawn {
  graph: Structure;
  visible: Visible;
}

/** How an earlier step would look now, and the settings for which this was computed. */
interface Alike {
  wish: Wish;
  folds: ReadonlyMap<string, boolean>;
  acting: string;
  past: readonly Drawn[];
  visible: Visible;
}

/** Enough for two kinds of steps that alternate, as with two nets. */
const MOST_PAST = 2;

export class GraphController {
  /** The size of the pane in pixels. */
  size = $state.raw({ width: 0, height: 0 });
  picture = $state.raw<Picture | null>(null);
  /** The op whose folds are open. In a fast program it changes at most twice a second. */
  private focus = $state.raw<number | null>(null);
  private focusedAt = -Infinity;
  /** The most boxes to show: with more, a picture of this kind did not fit into the pane. */
  private crowded = $state.raw({ in: "", most: Infinity });
  /** The earlier steps, newest first. What is open in the newest picture stays open. */
  private past: readonly Drawn[] = [];
  private readonly alike = new WeakMap<Structure, Alike>();
  private lastActing: string | null = null;
  /** Whether the next picture is shown as a whole. */
  framing = false;

  /** `framed`: a picture beside a lesson, which shows the whole and follows nothing. */
  constructor(
    private readonly session: Session,
    private readonly framed: boolean,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** The picture on the screen; it may be of an earlier step than the session is at. */
  get shown(): Picture["shown"] {
    return this.picture?.shown ?? null;
  }

  readonly following = $derived.by(() => {
    const { watch, atEnd } = this.session;
    return watch.live && watch.following && atEnd && !this.framed;
  });
  readonly rushing = $derived.by(() => this.following && this.session.debug.pause === null);
  private readonly room = $derived.by(() => roomIn(this.session.tree ? Infinity : this.size.width, this.size.height));
  /** The room for boxes: where it changes, folds that were shut for want of room may open. */
  private readonly case = $derived.by(() => {
    const { runId, watch } = this.session;
    return [runId, this.size.width, this.size.height, this.rushing, this.following || watch.step].join(" ");
  });
  private readonly most = $derived.by(() => (this.crowded.in === this.case ? this.crowded.most : Infinity));
  private readonly wish = $derived.by<Wish>(() => {
    const { room, most, rushing, focus } = this;
    const lens = !rushing || most > LEAST_BOXES || !room.narrow;
    const { lenses } = this.session;
    return {
      boxes: Math.min(room.boxes, most),
      narrow: room.narrow,
      room: room.room,
      focus,
      deep: !rushing,
      alarm: !rushing && this.alarming(focus),
      lens,
      lenses,
    };
  });

  /** The moment in the picture: at the end it is the newest there is, ahead of what is written beside it. */
  readonly now = $derived.by<Moment>(() => {
    const { atEnd, touching, moment, event, watch } = this.session;
    if (!atEnd || touching.shown) return { state: moment, event };
    const { history } = watch.latest;
    return { state: history.at(history.length), event: history.event(history.length) };
  });

  /** The step that is shown ended in an error, and its last moment is looked at: what ran last stands before what failed. */
  readonly failed = $derived.by(() => {
    const { moment, atEnd, watch } = this.session;
    const finished = moment.finished ?? (watch.step === watch.steps.at(-1)?.step ? watch.ending : null);
    return atEnd && finished?.status === "failed";
  });

  readonly visible = $derived.by<Visible>(() => {
    const { graph } = this.session.watch.latest;
    const [before] = this.drawnBefore();
    const like = before && this.following ? this.asNow(before, null) : null;
    return visibleGraph(graph, this.session.folds, before?.visible ?? null, this.wish, like);
  });

  /** A step that is over; of one that was fast the last ops may never have been drawn. */
  private wholeOf(graph: Structure, drawn: Visible): Drawn {
    if (drawn.root.size >= graph.nodes.size) return { graph, visible: drawn };
    return { graph, visible: visibleGraph(graph, this.session.folds, drawn, { ...this.wish, focus: null }) };
  }

  /** A step before as it would be drawn now; `like` says how it is folded. */
  private asNow({ graph }: Drawn, like: Visible | null): Visible {
    const { wish, past } = this;
    const { folds, watch } = this.session;
    const acting = wish.focus === null ? "" : watch.latest.graph.opKey(wish.focus);
    const known = this.alike.get(graph);
    const same = known?.wish === wish && known.folds === folds && known.acting === acting && known.past === past;
    if (known && same) return known.visible;
    const visible = visibleGraph(
      graph,
      folds,
      past[0]?.visible ?? null,
      { ...wish, focus: graph.nodeOfKey(acting) },
      like,
    );
    this.alike.set(graph, { wish, folds, acting, past, visible });
    return visible;
  }

  /** The step before that this one, of which the first ops have come, begins like; null where it is another kind. */
  private likely(visible: Visible): Visible | null {
    const [before] = this.past;
    if (!before || !this.following) return null;
    const like = this.asNow(before, null);
    return (
      this.past.map((drawn) => (drawn === before ? like : this.asNow(drawn, like))).find((v) => covers(v, visible)) ??
      null
    );
  }

  /** The box that stands for what a key names: its own, or the fold around it. */
  keyShown(key: string): string {
    return this.shown?.visible.shown.get(key) ?? key;
  }

  /** Everything that decides how the boxes look. */
  readonly look = $derived.by(() => {
    const { session, shown } = this;
    const { graph } = session.watch.latest;
    if (shown?.graph !== graph) return null;
    const shownOrNull = (key: string | null): string | null => (key === null ? null : this.keyShown(key));
    const { key, pause } = session.debug;
    const next = pause && pause.node == null && pause.leaf == null ? pause.op : null;
    return {
      graph,
      ...this.now,
      growing: session.watch.live && session.atEnd,
      palette: PALETTES[session.theme],
      found: session.found && new Set([...session.found].map((found) => this.keyShown(found))),
      overlay: this.range,
      selected: shownOrNull(session.selected),
      active: session.keysOf(this.now.event).map((active) => this.keyShown(active)),
      stale: this.staleLines(graph),
      paused: key === null ? null : { key: this.keyShown(key), next },
    };
  });

  /** Whether something is wrong with an op at this moment. */
  private alarming(op: number | null): boolean {
    const record = op === null ? undefined : this.session.watch.latest.graph.nodes.get(op);
    return record !== undefined && opTrouble(record, this.now.state) !== "";
  }

  private staleLines(graph: Structure): [string, string][] {
    return this.session.stale.flatMap(({ change, node }): [string, string][] => {
      const changer = change?.node;
      if (changer == null || !graph.nodes.has(changer)) return [];
      return [[this.keyShown(graph.opKey(changer)), this.keyShown(graph.opKey(node))]];
    });
  }

  /** The colours stand for the whole step, whatever moment of it is shown. */
  readonly range = $derived.by<Range | null>(() => {
    const metric = this.session.overlay ?? (this.session.ratios ? "change" : null);
    if (metric === null) return null;
    const { history, graph } = this.session.watch.latest;
    return rangeOf(metric, graph, this.visible, history.at(history.length));
  });

  /** Whether the step that is shown is the newest, and may still grow. */
  private readonly newest = $derived.by(() => this.session.watch.atNewest);

  readonly situation = $derived.by<Situation>(() => {
    const { watch, atEnd, player, debug, position, selected } = this.session;
    return {
      ...{ graph: watch.latest.graph, visible: this.visible, first: this.past.length === 0 && this.newest },
      ...{ live: this.following, atEnd, playing: player.playing },
      ...{ paused: debug.pause !== null, failed: this.failed, position, acting: this.acting(), chosen: selected },
      likely: (visible) => untrack(() => this.likely(visible)),
    };
  });

  /** The text that a screen reader reads in place of the picture. */
  readonly summary = $derived.by(() => {
    const { graph } = this.session.watch;
    return t("Graph of {ops} ops and {leaves} leaves. Press t for the same as text.", {
      ops: graph.nodes.size,
      leaves: graph.leaves.size,
    });
  });

  // Commands -----------------------------------------------------------------------------------------------------

  /** Folds or opens the module that is chosen, or the one that the chosen op lies in. */
  toggleFold(key: string | null = this.session.focus): void {
    const module = key === null ? undefined : this.moduleAt(key);
    if (!module || module.parent === null) return;
    this.toggle(module);
    if (!module.folded) this.session.select(module.key);
  }

  private moduleAt(key: string): Module | undefined {
    const { modules, items } = this.shown?.visible ?? {};
    const at = this.keyShown(key);
    return modules?.get(at) ?? modules?.get(items?.get(at)?.frame ?? "");
  }

  /** Folds or opens a module, and keeps its box at its place on the screen. */
  toggle(module: Module): void {
    this.picture?.hold(module.key);
    this.session.toggleFold(module.key, module.folded);
  }

  /** Opens all modules, or as many levels as can be read; if all of these are open, folds all. */
  foldAll(): void {
    const { shown, session } = this;
    if (!shown) return;
    const modules = [...shown.visible.modules.values()].filter((module) => module.parent !== null);
    const { open, whole, boxes } = openedWithin(shown.visible.root);
    this.framing = modules.some((module) => module.folded && open.has(module.key));
    session.setAllFolds(
      modules.map((module) => module.key),
      this.framing ? open : new Set(),
    );
    const [all, most] = [grouped(session.watch.graph.nodes.size), grouped(MOST_BOXES)];
    session.said =
      this.framing && !whole
        ? t(
            "Opened {boxes} boxes, not all {all} ops: with the next level there would be more than {most}, too many to read at once. Open single modules with e.",
            { boxes: grouped(boxes), all, most },
          )
        : null;
  }

  /** Chooses the previous or next box, in the order in which they ran. */
  neighbour(direction: "up" | "down"): void {
    if (!this.shown) return;
    const { items, modules } = this.shown.visible;
    const rank = (key: string): number =>
      modules.get(key)?.first ?? (key.startsWith("c") ? Infinity : Number(key.slice(1)));
    const boxes = [...items.values()].filter((item) => item.kind !== "leaf").map((item) => item.key);
    const order = boxes.sort((a, b) => rank(a) - rank(b));
    const at = this.session.focus === null ? -1 : order.indexOf(this.keyShown(this.session.focus));
    const next = order[Math.max(0, Math.min(order.length - 1, at + (direction === "down" ? 1 : -1)))];
    if (next) this.session.select(next);
  }

  // Folds that open and close automatically --------------------------------------------------------------------------

  /** Folds a picture that is too large to be read, unless the user has chosen its folds or its view. */
  foldsCrowd(placement: Placement, laidOut: Visible, pane: Pane): boolean {
    if (this.framed || this.session.folds.size > 0) return false;
    const boxes = Math.min(this.room.boxes, this.most);
    const crowd = { boxes, ops: laidOut.root.size, rushing: this.rushing };
    const fewer = fewerBoxes(placement, laidOut, pane, crowd);
    if (fewer !== null) this.crowded = { in: this.case, most: fewer };
    return fewer !== null;
  }

  /** Opens the folds around the current op; in a fast program only after the open ones have been shown long enough. */
  turnFocus(): (() => void) | undefined {
    const next = this.focusAt();
    if (next === this.focus) return;
    const wait = this.rushing ? this.focusedAt + DWELL_MS - this.clock() : 0;
    const turn = (): void => {
      this.focusedAt = this.clock();
      this.focus = next;
    };
    if (wait <= 0) {
      turn();
      return;
    }
    const timer = setTimeout(turn, wait);
    return () => clearTimeout(timer);
  }

  /** The op of the current moment while it is viewed or the program runs; null for a run at rest. */
  private focusAt(): number | null {
    const { atEnd, player, watch } = this.session;
    if (this.failed) return this.lastNode() ?? this.focus;
    if (!this.following && atEnd && !player.playing) return null;
    const node = this.now.event && nodeAbout(this.now.event, watch.latest.history.records);
    return node !== null && watch.latest.graph.nodes.has(node) ? node : this.focus;
  }

  /** The key of the op of this moment, or of the moment before, since an optimiser's step has no op. */
  private acting(): string | null {
    const { watch, debug, player } = this.session;
    const { graph } = watch.latest;
    const node = this.now.event && nodeOf(this.now.event);
    const key =
      node !== null && graph.nodes.has(node) ? graph.opKey(node) : (this.session.keysOf(this.now.event)[0] ?? null);
    const last = key === null && this.failed ? this.lastNode() : null;
    if (last !== null) return graph.opKey(last);
    return (this.lastActing = debug.key ?? key ?? (this.following || player.playing ? this.actedBefore() : null));
  }

  /** The last op that acted, if this step has it; else the newest op of this step. */
  private actedBefore(): string | null {
    const { graph } = this.session.watch.latest;
    const { lastActing } = this;
    const known = lastActing !== null && (this.visible.shown.has(lastActing) || this.visible.modules.has(lastActing));
    return known || graph.nodes.size === 0 ? lastActing : graph.newest;
  }

  private lastNode(): number | null {
    const { history, graph } = this.session.watch;
    for (let at = history.length; at > 0; at--) {
      const event = history.event(at);
      const node = event && nodeOf(event);
      if (node !== null && graph.nodes.has(node)) return node;
    }
    return null;
  }

  private drawnBefore(): readonly Drawn[] {
    return untrack(() => {
      const { shown, past } = this;
      if (shown && shown.graph !== this.session.watch.latest.graph && shown.visible !== past[0]?.visible) {
        const others = past.filter(({ graph }) => graph !== shown.graph);
        this.past = [this.wholeOf(shown.graph, shown.visible), ...others].slice(0, MOST_PAST);
      }
      return this.past;
    });
  }
}
