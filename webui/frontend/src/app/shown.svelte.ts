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
  /** Grows whenever readers are told of what has come: about once a second while records rush by. */
  revision = $state(0);
  /** What there is in the step has come, and not yet what became of it. */
  reading = $state(false);
  /** Records come faster than anybody can read what each is about. */
  rushing = $state(false);
  /** When another step, or the same from its beginning, took the place of what was shown. */
  since = 0;

  /** Both grow in place, so they are no signals themselves. Views read them through `latest` or through `graph` and `history`. */
  private structure = $state.raw(new Structure());
  private events = $state.raw(new History());
  /** Grows with every batch. */
  private arrivals = $state(0);
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

  /** For the picture: a view that reads it follows every batch. */
  get latest(): Latest {
    void this.arrivals;
    return { graph: this.structure, history: this.events };
  }

  /** For text: a view that reads it is told at the pace of a reader. */
  get graph(): Structure {
    void this.revision;
    return this.structure;
  }
  get history(): History {
    void this.revision;
    return this.events;
  }

  forget(): void {
    this.hush();
    this.told = false;
    this.reading = false;
    this.unfolded = this.sketched = null;
    this.structure = new Structure();
    this.events = new History();
  }

  /** What there is in a step, complete up to `seq`, before the rest of its records. */
  sketch(step: number, records: readonly AnyRecord[], seq: number): void {
    const graph = new Structure();
    graph.append(records);
    this.step = step;
    this.structure = graph;
    this.sketched = { step, seq };
    this.reading = true;
    this.arrivals += 1;
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
    this.arrivals += 1;
    this.revision += 1;
    this.unfolded = records;
    if (first && records.length > MANY) this.foldSoon();
    else this.fold();
  }

  /** More of the step. */
  append(records: readonly AnyRecord[]): void {
    this.events.append(records);
    this.structure.append(records);
    this.arrivals += 1;
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
    this.arrivals += 1;
    this.revision += 1;
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
    this.revision += 1;
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

/** What is written about a program that streams is brought up to date when so long nothing came, */
const QUIET_MS = 100;

/** of one that rushed when it has rested so long, */
const CALM_MS = 300;

/** or in any case so long after what is not in it yet. */
const READING_MS = 1000;

/** From so many records on, folding them takes longer than anybody should wait for the picture. */
const MANY = 5000;

/** So many records are folded at a stretch: what else there is to do waits for less than a blink. */
const SLICE = 4000;

/** What the recorder held back and wrote later belongs to where it happened. */
function inTime(records: readonly AnyRecord[]): readonly AnyRecord[] {
  const late = records.some((record, i) => i > 0 && record.t < records[i - 1]!.t);
  return late ? [...records].sort((a, b) => a.t - b.t) : records;
}
