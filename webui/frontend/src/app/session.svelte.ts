/** Everything the explorer shows and can do, in one place that views read from and keys call into. */
import { allDiffer, compare, type Difference, type Side } from "../model/compare";
import { leafOf, nodeAbout, nodeOf } from "../model/events";
import { History } from "../model/history";
import { keepChanges, type Metric } from "../model/overlay";
import { foldsOf, type Measure, type Ratios, ratiosOf } from "../model/ratios";
import { firstTrouble, overModule } from "../model/playback";
import { gradientPath } from "../model/path";
import { revealed } from "../model/reveal";
import { type Found, search } from "../model/search";
import { type Stale, staleSaves } from "../model/stale";
import type { State } from "../model/state";
import { Structure } from "../model/structure";
import { type Aim, readHash, writeHash } from "../model/url";
import { brokenAt, type Element } from "../model/values";
import { type Why, whyNone } from "../model/why";
import { ROOT, type Visible, visibleGraph } from "../model/visible";
import type { AnyRecord, Finding } from "../protocol";
import type { ThemeName } from "../theme/colour";
import { Debugging } from "./debugging.svelte";
import { setBusy } from "./idle";
import { drawn } from "./lanes";
import { origin } from "./origin";
import { Paced } from "./paced.svelte";
import { Player } from "./player.svelte";
import { RunList } from "./runlist.svelte";
import type { Change } from "./shown.svelte";
import { Touching } from "./touching.svelte";
import { Touring } from "./touring.svelte";
import { Watch } from "./watch.svelte";

/** A step to compare with, at its end. */
export interface Other extends Side {
  run: string;
  step: number;
}

export class Session {
  readonly list = new RunList(() => this.runId === null);
  readonly watch = new Watch(
    (change) => this.arrived(change),
    (message) => this.debug.refused(message),
  );
  readonly debug = new Debugging(this);
  readonly touching = new Touching(() => this.watch);
  readonly touring = new Touring(this);
  runId = $state<string | null>(null);

  position = $state(0);
  /** Whether the newest event is shown. It stays so until the user goes back. */
  atEnd = $state(true);
  readonly player = new Player(this);

  selected = $state<string | null>(null);
  element = $state.raw<Element>({ row: 0, col: 0 });
  folds = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  /** For each stack, the instance that the user chose to open beside it; null for none. */
  lenses = $state.raw<ReadonlyMap<string, string | null>>(new Map());
  /** The picture of a step, as the pane has room for it; null where there is no pane. */
  picture = $state.raw<{ graph: Structure; visible: Visible } | null>(null);
  /** What the user has opened, and Escape closes: the form to compare with, all findings, the list of steps. */
  readonly open = $state({ compare: false, findings: false, steps: false });
  /** Where the camera is; null at its initial place. */
  aim = $state.raw<Aim | null>(null);
  /** The camera's place in a link. */
  wantedAim = $state.raw<Aim | null>(null);
  query = $state("");
  tree = $state(false);
  /** Shows only the picture and the time, for an audience. */
  wide = $state(false);
  /** Highlights the gradient's path between the selected item and the loss; the rest is dimmed. */
  way = $state(false);
  /** Shows the gradient norms in place of the loss. */
  norms = $state(false);
  /** The metric that colours the picture; null: each box shows its numbers. */
  overlay = $state<Metric | null>(null);
  /** A notice that a request was only partly carried out. */
  said = $state<string | null>(null);
  chosenTheme = $state<ThemeName | null>(null);
  systemTheme = $state<ThemeName>("light");

  theme = $derived<ThemeName>(this.chosenTheme ?? this.systemTheme);
  length = $derived.by(() => this.watch.history.length);
  /** The current moment as it was recorded, */
  recorded = $derived.by<State>(() => this.watch.history.at(this.position));
  /** and as it would be with the dragged element's new value. */
  moment = $derived.by<State>(() => this.touching.in(this.recorded));
  event = $derived.by<AnyRecord | null>(() => this.watch.history.event(this.position));
  results = $derived.by<Found[] | { problem: string }>(() => search(this.query, this.watch.graph, this.moment));
  /** The step that this one is compared with. */
  other = $state.raw<Other | null>(null);
  differences = $derived.by<Difference[] | null>(() => {
    if (!this.other) return null;
    return compare({ graph: this.watch.graph, state: this.moment }, this.other);
  });
  /** What the user compares by. Null chooses by the steps: elements, or gradients if nearly all elements differ. */
  measured = $state<Measure | "elements" | null>(null);
  measure = $derived.by<Measure | "elements">(
    () => this.measured ?? (allDiffer(this.differences) ? "gradient" : "elements"),
  );
  /** Both steps at their ends, by this measure. */
  ratios = $derived.by<Ratios | null>(() => {
    if (!this.other || this.measure === "elements") return null;
    const { graph, history } = this.watch;
    const found = ratiosOf(this.measure, { graph, state: history.at(history.length) }, this.other);
    keepChanges(graph, foldsOf(found));
    return found;
  });
  stale = $derived.by<Stale[]>(() => staleSaves(this.moment));
  /** The highlighted items: those that depend on the dragged element, the search results, or the gradient's path. */
  found = $derived.by<ReadonlySet<string> | null>(() => {
    if (this.touching.shown) return this.touching.followers;
    if (this.way && this.focus) return gradientPath(this.watch.graph, this.moment, this.focus) ?? new Set([this.focus]);
    if (this.ratios) return new Set(this.ratios.changed.map((one) => one.key));
    if (this.differences) return new Set(this.differences.map((d) => d.key));
    if (this.query.trim() === "" || !Array.isArray(this.results)) return null;
    return new Set(this.results.map((f) => f.key));
  });
  why = $derived.by<Why | null>(() => (this.focus ? whyNone(this.watch.graph, this.moment, this.focus) : null));

  private wantedSeq: number | null = null;
  /** The run was just opened, and nothing has chosen what to show of it. */
  private opening = true;
  /** The run was over and its findings known, so that it was decided where it opens. */
  private settled = false;
  /** The step where the trouble began has been requested. */
  private toTroubleSoon = false;
  /** The op to select when its step arrives. */
  private wantedNode: { step: number; node: number } | null = null;

  /** The findings of `minigrad explain` about the run. */
  readonly diagnosis = new Paced("findings", (run) => origin().findings(run));

  get findings(): readonly Finding[] {
    return this.diagnosis.data?.findings ?? [];
  }

  /** The keys of the items that the current event is about. */
  get active(): string[] {
    return this.keysOf(this.event);
  }

  /** Keys of the op, or the leaf, or both, that an event is about. */
  keysOf(event: AnyRecord | null): string[] {
    if (!event || !this.watch.graph) return [];
    if (event.type === "collective_ran") return [this.watch.graph.collectives.keyOf(event) ?? []].flat();
    const [node, leaf] = [nodeAbout(event, this.watch.history.records), leafOf(event)];
    const keys: string[] = [];
    if (leaf !== null && this.watch.graph.leaves.has(leaf)) keys.push(this.watch.graph.leafKey(leaf));
    else if (node !== null && this.watch.graph.nodes.has(node)) keys.push(this.watch.graph.opKey(node));
    return keys;
  }

  /** The inspector's subject: the selection, or else the latest event. */
  get focus(): string | null {
    return this.selected ?? this.active[0] ?? null;
  }

  // Runs ---------------------------------------------------------------------------------------------------------

  openRun(id: string): void {
    this.reset();
    this.runId = id;
    this.watch.open(id, null);
  }

  home(): void {
    this.player.pause();
    this.watch.close();
    this.runId = null;
    this.reset();
    void this.list.refresh();
  }

  private reset(): void {
    this.position = 0;
    this.atEnd = true;
    this.selected = null;
    this.folds = new Map();
    this.lenses = new Map();
    this.aim = this.wantedAim = null;
    this.query = "";
    this.way = false;
    this.other = null;
    this.wantedSeq = this.wantedNode = null;
    this.opening = true;
    this.settled = false;
    this.said = null;
    this.touching.release();
    this.touring.end();
    this.debug.reset();
    Object.assign(this.open, { compare: false, findings: false, steps: false });
  }

  /** Closes what was opened last, or else clears the search, then the selection. */
  escape(): void {
    const { open } = this;
    if (this.touring.stop) this.touring.end();
    else if (this.touching.what) this.touching.release();
    else if (open.steps) open.steps = false;
    else if (open.findings) open.findings = false;
    else if (this.debug.open) this.debug.open = false;
    else if (this.other || open.compare) this.closeComparison();
    else if (this.way) this.way = false;
    else if (this.said !== null) this.said = null;
    else if (this.query !== "") this.query = "";
    else this.select(null);
  }

  closeComparison(): void {
    this.open.compare = false;
    void this.compareWith(null, 0);
  }

  /** Handles new records, which may move the position: to the requested event, or with the newest. */
  private arrived(change: Change): void {
    const { history } = this.watch;
    if (this.wantedSeq !== null) {
      this.position = history.positionOf(this.wantedSeq);
      this.atEnd = false;
      if (change === "snapshot") this.wantedSeq = null;
    } else if (this.atEnd) this.position = history.length;
    else this.position = Math.min(this.position, history.length);
    if (change !== "snapshot") return;
    this.touring.arrived();
    this.toWantedNode();
    if (this.toTroubleSoon) {
      this.toTroubleSoon = false;
      this.toTroubleHere();
    } else if (this.opening && !this.watch.live) this.openAtTrouble();
  }

  /** Opens a run that went wrong at that place, unless a link or the user has chosen another. */
  private openAtTrouble(): void {
    const trouble = this.watch.run?.trouble;
    const free = trouble != null && this.watch.following && this.selected === null;
    const here = trouble?.step === this.watch.step;
    this.opening = free && !here;
    if (free && here) this.toTroubleHere();
  }

  /** A run that is over, and in which a finding has a place, rests there, unless a person has looked for something. */
  openAtFinding(): void {
    const { watch } = this;
    if (this.settled || watch.live || watch.run === null || watch.history.length === 0) return;
    this.settled = true;
    const [first] = this.findings;
    const untouched = watch.following && this.atEnd && this.selected === null && this.aim === null && !this.wide;
    const told = watch.run.trouble != null || watch.run.status === "failed" || this.touring.stop !== null;
    if (first?.step != null && first.node != null && untouched && !told) this.goTo(first.step, first.node);
  }

  /** Shows where the program is paused. */
  showPause(): void {
    if (!this.watch.following || !this.atEnd) this.chooseStep(null);
    this.debug.turn();
  }

  chooseStep(step: number | null): void {
    this.player.pause();
    this.atEnd = true;
    this.watch.choose(step);
    if (step === null) this.position = this.watch.history.length;
  }

  /** Goes to a step and selects `key` there, at record number `at` or at the step's end. */
  turnTo(step: number, key: string | null, at: number | null): void {
    const there = step === this.watch.step;
    if (!there) this.chooseStep(step);
    this.select(key);
    if (!there) this.wantedSeq = at;
    else this.seek(at === null ? Infinity : this.watch.history.positionOf(at));
  }

  stepBy(delta: number): void {
    const rows = this.watch.steps;
    const here = rows.findIndex((s) => s.step === this.watch.step);
    const next = rows[Math.min(rows.length - 1, Math.max(0, here + delta))];
    if (next) this.chooseStep(next.step);
  }

  // Time ---------------------------------------------------------------------------------------------------------

  seek(position: number): void {
    this.position = Math.max(0, Math.min(this.length, Math.round(position)));
    this.atEnd = this.position === this.length && this.watch.following;
    if (this.position < this.length) this.watch.hold();
  }

  step(delta: number): void {
    this.player.pause();
    this.seek(this.position + delta);
  }

  stepOver(direction: 1 | -1): void {
    this.player.pause();
    this.seek(overModule(this.watch.history, this.watch.graph, this.position, direction));
  }

  /** Goes to the beginning of the run's trouble: its first step with an anomaly, and there to the event. */
  toTrouble(): void {
    const first = this.watch.run?.trouble ?? this.watch.steps.find((row) => row.trouble);
    if (first && first.step !== this.watch.step) {
      this.chooseStep(first.step);
      this.toTroubleSoon = true;
    } else this.toTroubleHere();
  }

  private toTroubleHere(): void {
    const first = firstTrouble(this.watch.history);
    if (first === null) return;
    this.player.pause();
    this.select(null);
    this.seek(first);
    const node = this.event && nodeOf(this.event);
    this.element = brokenAt(this.moment.nodes.get(node ?? -1)?.output) ?? this.element;
  }

  /** Goes to an op of a step, and selects it. */
  goTo(step: number, node: number): void {
    if (step !== this.watch.step) this.chooseStep(step);
    this.wantedNode = { step, node };
    this.toWantedNode();
  }

  private toWantedNode(): void {
    const wanted = this.wantedNode;
    if (wanted === null || wanted.step !== this.watch.step || !this.watch.graph.nodes.has(wanted.node)) return;
    this.wantedNode = null;
    this.select(this.watch.graph.opKey(wanted.node));
  }

  /** Loads a step, of this run or another, and shows the differences; null ends the comparison. */
  async compareWith(run: string | null, step: number): Promise<void> {
    if (run === null) {
      this.other = null;
      return;
    }
    setBusy("compare", true);
    try {
      const known = this.list.runs?.find(({ id }) => id === run);
      const records = known ? (await drawn(known, step)).records : await origin().recordsOfStep(run, step);
      const [history, graph] = [new History(), new Structure()];
      history.append(records);
      graph.append(records);
      this.other = { run, step, graph, state: history.at(history.length) };
    } finally {
      setBusy("compare", false);
    }
  }

  // Picture ------------------------------------------------------------------------------------------------------

  select(key: string | null): void {
    this.selected = key;
    this.element = { row: 0, col: 0 };
  }

  /** Selects an op or a leaf, and opens the folds around it. */
  reveal(key: string): void {
    const { graph } = this.watch;
    if (this.picture?.graph === graph) {
      const { folds, lenses } = revealed(key, graph, this.picture.visible, this.folds, this.lenses);
      [this.folds, this.lenses] = [folds, lenses];
    }
    this.select(key);
  }

  toggleFold(key: string, foldedNow: boolean): void {
    if (key === ROOT) return;
    this.folds = new Map(this.folds).set(key, !foldedNow);
  }

  /** A picture that has this module: the pane's, which groups lines after its room; else one without a pane. */
  pictureWith(key: string): Visible {
    const { graph } = this.watch;
    const { picture, folds } = this;
    if (picture?.graph === graph && picture.visible.modules.has(key)) return picture.visible;
    return visibleGraph(graph, new Map(folds).set(key, true));
  }

  /** Opens an instance of a stack beside it, or closes it if it is open. */
  toggleInstance(stack: string, instance: string, open: boolean): void {
    this.lenses = new Map(this.lenses).set(stack, open ? null : instance);
  }

  /** Folds all these modules, except those in `open`. */
  setAllFolds(keys: Iterable<string>, open: ReadonlySet<string>): void {
    this.folds = new Map([...keys].filter((k) => k !== ROOT).map((k) => [k, !open.has(k)]));
  }

  // Address ------------------------------------------------------------------------------------------------------

  get hash(): string {
    const atEnd = this.position >= this.length;
    return writeHash({
      run: this.runId,
      step: this.watch.following || this.watch.steps.length <= 1 ? null : this.watch.step,
      at: this.runId === null || atEnd ? null : (this.event?.seq ?? 0),
      selected: this.selected,
      element: this.selected && (this.element.row > 0 || this.element.col > 0) ? this.element : null,
      folds: this.folds,
      aim: this.runId === null ? null : this.aim,
      query: this.query,
      tree: this.tree,
      wide: this.wide,
      way: this.way,
      norms: this.norms,
      overlay: this.overlay,
      tour: this.touring.address,
      theme: this.chosenTheme,
    });
  }

  /** If the address names no run, `unnamed` is shown; without it, the list of runs. */
  readAddress(hash: string, unnamed: string | null = null): void {
    const view = readHash(hash);
    const run = view.run ?? unnamed;
    if (view.theme) this.chosenTheme = view.theme;
    if (run === null) return this.runId === null ? undefined : this.home();
    this.reset();
    this.runId = run;
    this.selected = view.selected;
    if (view.element) this.element = view.element;
    this.folds = view.folds;
    this.aim = this.wantedAim = view.aim;
    this.query = view.query;
    this.tree = view.tree;
    this.wide = view.wide;
    this.way = view.way;
    this.norms = view.norms;
    this.overlay = view.overlay;
    const [stop, home] = view.tour?.split(",") ?? [];
    this.touring.expect(stop ?? null);
    this.wantedSeq = stop ? null : view.at;
    this.opening = view.step === null && view.at === null && !stop;
    this.watch.open(run, stop && home ? Number(home) : view.step);
  }
}
