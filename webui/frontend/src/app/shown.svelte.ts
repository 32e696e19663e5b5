/** The step that is shown, as structure and history: told to the picture at once, and to readers at their pace. */
import { History } from "../model/history";
import { Structure } from "../model/structure";
import type { AnyRecord } from "../protocol";
import { setBusy } from "./idle";

export type Change = "snapshot" | "records";

/** The step as of the last batch. */
export interface Latest {
  graph: Structure;
  history: History;
}

export class Shown {
  step = $state(0);
  /** The step's graph has come, but not yet its values. */
  reading = $state(false);
  /** Records come faster than anybody can read what each is about. */
  rushing = $state(false);
  /** When another step, or the same from its beginning, took the place of what was shown. */
  since = 0;

  /** Both grow in place, so they are no signals themselves: `latest` and `written` are. */
  private structure = new Structure();
  private events = new History();
  /** For the picture: another object with every batch. */
  latest = $state.raw<Latest>({ graph: this.structure, history: this.events });
  /** For text: another object whenever readers are told of what has come, about once a second while records rush by. */
  written = $state.raw<Latest>(this.latest);
  /** The graph was drawn before its records came: up to that number it is complete. */
  private sketched: { step: number; seq: number } | null = null;
  /** Records which the history does not have yet. */
  private unfolded: readonly AnyRecord[] | null = null;
  private untoldSince = 0;
  /** Whether what is written speaks of an op: before that nobody reads it, and "0 ops" would stand beside the first ones. */
  private told = false;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly changed: (change: Change) => void) {}

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

  /** The graph of a step, complete up to `seq`, before the rest of its records. */
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

  /** A step from its beginning. */
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

  /** More of the step. */
  append(records: readonly AnyRecord[]): void {
    this.events.append(records);
    this.structure.append(records);
    this.arrived();
    this.tellSoon();
  }

  /** The layout thread gets the structure of a giant first; its history is folded in slices, between which the picture comes. */
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

  /** Completes the history, which may be behind the structure. */
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

  /** The picture first; what is written beside it when the stream rests, or at the pace of a reader. */
  private tellSoon(): void {
    const now = performance.now();
    if (this.telling === undefined) this.untoldSince = now;
    clearTimeout(this.telling);
    setBusy("records", true);
    const left = this.untoldSince + (this.told || this.empty ? READING_MS : QUIET_MS) - now;
    const rest = this.rushing ? CALM_MS : QUIET_MS;
    this.telling = setTimeout(() => this.tell(left < rest), Math.max(0, Math.min(left, rest)));
  }

  /** Brings what is written up to date, unless it is. */
  tellNow(): void {
    if (this.telling !== undefined) this.tell(false);
  }

  /** Of a stream that still rushes it is told again when it rests, also if nothing more comes. */
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

/** The texts beside the picture of a streaming program are renewed once nothing has come for this long, */
const QUIET_MS = 100;

/** or, after it rushed, for this long, */
const CALM_MS = 300;

/** and in any case this long after the first record that they do not hold yet. */
const READING_MS = 1000;

/** Folding this many records takes longer than the picture may wait. */
const MANY = 5000;

/** The number of records folded at a stretch: other work waits for less than a blink. */
const SLICE = 4000;

/** Put records that the recorder held back and wrote later where they belong. */
function inTime(records: readonly AnyRecord[]): readonly AnyRecord[] {
  const late = records.some((record, i) => i > 0 && record.t < records[i - 1]!.t);
  return late ? [...records].sort((a, b) => a.t - b.t) : records;
}
