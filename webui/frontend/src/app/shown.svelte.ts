/**
 * The shown step as structure and history. The picture gets changes at once, texts more slowly, so that they can be
 * read.
 */
import { History } from "../model/history";
import { Structure } from "../model/structure";
import type { AnyRecord } from "../protocol";
import { setBusy } from "./idle";

export type Change = "snapshot" | "records";

/** The step after the last batch. */
export interface Latest {
  graph: Structure;
  history: History;
}

export class Shown {
  step = $state(0);
  /** The graph of the step has arrived, but not its values. */
  reading = $state(false);
  /** Records arrive faster than anyone can read about them. */
  rushing = $state(false);
  /** When the shown step was replaced by another, or restarted from its beginning. */
  since = 0;

  /** Both are changed in place, so they are no signals; `latest` and `written` are. */
  private structure = new Structure();
  private events = new History();
  /** For the picture: a new object with every batch. */
  latest = $state.raw<Latest>({ graph: this.structure, history: this.events });
  /** For texts: a new object whenever they are updated, about once a second while records arrive fast. */
  written = $state.raw<Latest>(this.latest);
  /** The graph was drawn before its records arrived, complete up to this number. */
  private sketched: { step: number; seq: number } | null = null;
  /** Records that the history does not contain yet. */
  private unfolded: readonly AnyRecord[] | null = null;
  private untoldSince = 0;
  /** Whether the texts mention an op. */
  private told = false;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly changed: (change: Change) => void,
    /** Whether more has arrived than was appended yet. */
    private readonly waiting: () => boolean = () => false,
  ) {}

  get empty(): boolean {
    return this.structure.nodes.size === 0;
  }

  forget(): void {
    this.hush();
    this.told = false;
    this.reading = false;
    this.unfolded = this.sketched = null;
    this.structure = new Structure();
    this.events = new History();
    this.arrived();
    this.written = this.latest;
  }

  private arrived(): void {
    this.latest = { graph: this.structure, history: this.events };
  }

  /** Shows the graph of a step, complete up to `seq`, before its other records. */
  sketch(step: number, records: readonly AnyRecord[], seq: number): void {
    const graph = new Structure();
    graph.append(records);
    this.step = step;
    this.structure = graph;
    this.sketched = { step, seq };
    this.reading = true;
    this.arrived();
    this.written = this.latest;
  }

  /** Shows a step from its beginning. */
  show(step: number, arrived: readonly AnyRecord[]): void {
    const records = inTime(arrived);
    const drawn = this.sketched?.step === step ? this.sketched.seq : null;
    const first = drawn !== null || this.empty;
    const graph = drawn === null ? new Structure() : this.structure;
    graph.append(drawn === null ? records : records.filter((r) => r.seq > drawn));
    this.sketched = null;
    this.since = performance.now();
    this.step = step;
    this.events = new History();
    this.structure = graph;
    this.hush();
    this.told = !this.empty;
    this.arrived();
    this.written = this.latest;
    this.unfolded = records;
    if (first && records.length > MANY) this.foldSoon();
    else this.fold();
  }

  /** Adds more records of the step. The texts mention its first op at once, so that none says "0 ops" beside it. */
  append(records: readonly AnyRecord[]): void {
    this.events.append(records);
    this.structure.append(records);
    this.arrived();
    if (this.told || this.empty) this.tellSoon();
    else this.tell(false);
  }

  /**
   * Builds the structure of a very large step first, for the layout thread, and then its history in slices, so that the
   * picture can be drawn in between.
   */
  private foldSoon(): void {
    this.reading = true;
    setBusy("history", true);
    setTimeout(() => {
      const rest = this.unfolded;
      if (!rest || rest.length <= SLICE) return this.fold();
      this.events.append(rest.slice(0, SLICE));
      this.unfolded = rest.slice(SLICE);
      this.foldSoon();
    });
  }

  /** Completes the history, which may lag behind the structure. */
  fold(): void {
    setBusy("history", false);
    if (!this.unfolded) return;
    this.events.append(this.unfolded);
    this.unfolded = null;
    this.reading = false;
    this.arrived();
    this.written = this.latest;
    this.changed("snapshot");
  }

  /** Updates the picture at once, and the texts when records pause, or about once a second. */
  private tellSoon(): void {
    const now = performance.now();
    if (this.telling === undefined) this.untoldSince = now;
    clearTimeout(this.telling);
    setBusy("records", true);
    const left = this.untoldSince + READING_MS - now;
    if (left <= 0) return this.tell(true); // the timers of a busy page come late
    const rest = this.rushing ? CALM_MS : QUIET_MS;
    const due = left < rest;
    this.telling = setTimeout(
      () => {
        if (!due && this.waiting()) this.tellSoon();
        else this.tell(due);
      },
      due ? left : rest,
    );
  }

  /** Updates the texts, if they are out of date. */
  tellNow(): void {
    if (this.telling !== undefined) this.tell(false);
  }

  /** Updates the texts. While records arrive fast, they are updated again after the last one. */
  private tell(rushing: boolean): void {
    this.hush();
    this.told = !this.empty;
    this.rushing = rushing;
    this.written = { ...this.latest };
    this.changed("records");
    if (rushing) this.tellSoon();
  }

  private hush(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    this.rushing = false;
    setBusy("records", false);
  }
}

/** The texts of a running program are updated when no records have arrived for this long, */
const QUIET_MS = 100;

/** or, after records arrived fast, for this long, */
const CALM_MS = 300;

/** and at the latest this long after the first record that they do not contain. */
const READING_MS = 1000;

/** With more records than this, building the history delays the picture too long. */
const MANY = 5000;

/** How many records to process in one slice, so that other work waits only a moment. */
const SLICE = 4000;

/** Puts records that the recorder held back and wrote later into the order of time. */
function inTime(records: readonly AnyRecord[]): readonly AnyRecord[] {
  const late = records.some((record, i) => i > 0 && record.t < records[i - 1]!.t);
  return late ? [...records].sort((a, b) => a.t - b.t) : records;
}
