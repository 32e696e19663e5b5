/** The watched run: what the server has sent of it, as history and structure of the shown step. */
import type { History } from "../model/history";
import { drawable, numbersOf, withNumbers } from "../model/numbers";
import { mergeSteps, worthwhile } from "../model/steps";
import type { Structure } from "../model/structure";
import {
  type AnyRecord,
  type Control,
  type GradNorm,
  known,
  type LiveMessage,
  type Outline,
  type Run,
  type RunFinished,
  type Snapshot,
  type Step,
  type StepTaken,
} from "../protocol";
import type { Link, Live } from "../protocol/client";
import { setBusy } from "./idle";
import { byItself, drawn } from "./lanes";
import { origin } from "./origin";
import { type Change, type Latest, Shown } from "./shown.svelte";
import { t } from "../language/text";

export class Watch {
  run = $state.raw<Run | null>(null);
  steps = $state.raw<Step[]>([]);
  /** Of the older steps, one of every `every` is loaded. */
  every = $state(1);
  /** Whether the newest step is always shown, rather than a chosen one. */
  following = $state(true);
  link = $state<Link>("connecting");
  problem = $state<string | null>(null);
  /** The record of the end of a failed run, which the shown step may not contain. */
  ending = $state.raw<RunFinished | null>(null);

  private readonly shown = new Shown(
    (change) => this.changed(this.partial ? "records" : change),
    () => this.waiting,
  );
  /** The next step, while the one before is still shown. */
  private coming: { step: number; records: AnyRecord[] } | null = null;
  /** An outline is being drawn; the rest is requested when it is on the screen. */
  private outlined = false;
  /** The records of the step that belong to this run; `history` may also contain other ranks'. */
  private own: AnyRecord[] = [];
  /** The record that ended the step. */
  private end = $state.raw<StepTaken | null>(null);
  /** The records of a step that is drawn as the step that it is like; null if it is drawn as itself. */
  private bare: readonly AnyRecord[] | null = null;
  /** The runs that are lanes of the picture; empty if this run is alone in it. */
  private together: readonly Run[] = [];
  private gathering: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;
  /** Other ranks are still missing from the picture; the requested item may be theirs. */
  private partial = false;
  private id: string | null = null;
  /** Increases with every step that is shown, so that late answers are recognised. */
  private asked = 0;
  /** The step that is held: one that was sent before comes too late. Null while the newest is shown. */
  private held: number | null = null;
  /** The last requested step that other steps are like. */
  private like: { run: string; step: number; records: Promise<readonly AnyRecord[]> } | null = null;
  private connection: Live | null = null;
  /** Messages have arrived that are handled soon. */
  private waiting = false;

  constructor(
    private readonly changed: (change: Change) => void,
    /** Called when the program refuses a request. */
    private readonly refused: (message: string) => void = () => undefined,
  ) {}

  /** The step in the picture. */
  get step(): number {
    return this.shown.step;
  }
  /** The step for the picture, updated with every batch; `graph` and `history` are updated more slowly, for readers. */
  get latest(): Latest {
    return this.shown.latest;
  }
  get graph(): Structure {
    return this.shown.written.graph;
  }
  get history(): History {
    return this.shown.written.history;
  }
  /** `graph` and `history` as an object that is replaced whenever they have grown. */
  get written(): Latest {
    return this.shown.written;
  }
  get rushing(): boolean {
    return this.shown.rushing;
  }
  get reading(): boolean {
    return this.shown.reading;
  }

  /** The gradients in the record of the step's end; null if it has not arrived or has none. */
  get norms(): readonly GradNorm[] | null {
    return this.end?.grad_norms?.length ? this.end.grad_norms : null;
  }

  get live(): boolean {
    return this.run?.status === "running";
  }

  /** Whether the step that is shown is the newest there is. */
  get atNewest(): boolean {
    return this.step >= (this.steps.at(-1)?.step ?? 0);
  }

  /** Handles that a picture is on the screen: what was postponed for it may now be requested. */
  seen(): void {
    if (this.outlined) this.connection?.more();
    this.outlined = false;
  }

  /** Sends a request to the program. */
  control(control: Control): void {
    this.connection?.control(control);
  }

  open(id: string, step: number | null): void {
    if (id !== this.id) this.forget();
    this.id = id;
    this.connect(step);
  }

  close(): void {
    this.connection?.stop();
    this.connection = null;
    this.id = null;
    this.forget();
  }

  /** Shows one step, or always the newest from now on. */
  choose(step: number | null): void {
    if (this.id === null) return;
    if (step === null ? this.following : !this.following && step === this.step) return;
    this.connect(step);
  }

  /** Keeps the shown step, whatever arrives. */
  hold(): void {
    if (!this.following) return;
    this.following = false;
    this.held = this.step;
    if (this.live && this.id !== null) this.connect(this.step);
  }

  private forget(): void {
    this.shown.forget();
    this.expectRanks(false);
    this.run = null;
    this.steps = [];
    this.problem = null;
    this.ending = null;
    this.coming = null;
    this.outlined = false;
  }

  private connect(step: number | null): void {
    this.connection?.stop();
    this.coming = null;
    this.asked += 1;
    this.following = step === null;
    this.held = step;
    setBusy("snapshot", true);
    this.connection = origin().watchRun(this.id!, step, this.shown.empty, {
      message: (message) => this.receive(message),
      waiting: (waiting) => {
        this.waiting = waiting;
        setBusy("messages", waiting);
      },
      link: (link, why) => {
        this.link = link;
        if (link === "refused") this.refuse(why ?? t("The server refused to show this run."));
      },
    });
  }

  private refuse(why: string): void {
    this.problem = why;
    setBusy("snapshot", false);
  }

  private receive(message: LiveMessage): void {
    this.shown.fold();
    switch (message.type) {
      case "outline":
        return this.takeOutline(message);
      case "snapshot":
        return this.takeSnapshot(message);
      case "batch":
        return this.append(known(message.records));
      case "steps":
        this.takeRun(message.run);
        this.steps = worthwhile(mergeSteps(this.steps, message.steps), this.live);
        return;
      case "notice":
        return this.refused(message.message);
      case "problem":
        return this.refuse(message.message);
    }
  }

  /** Draws a very large step from its outline; its records are requested when it is on the screen. */
  private takeOutline(message: Outline): void {
    this.takeRun(message.run);
    this.takeSteps(message);
    this.outlined = true;
    this.shown.sketch(message.step, known(message.records), message.seq);
    setTimeout(() => this.seen(), UNSEEN_MS);
  }

  private takeSnapshot(message: Snapshot): void {
    const { connection } = this;
    this.takeRun(message.run);
    this.takeSteps(message);
    if (this.connection !== connection) return; // the run has ended, and the step to show then is on its way
    if (this.held !== null && message.step !== this.held) return;
    const last = this.steps.at(-1);
    if (this.following && !this.live && last && last.step < message.step) return this.connect(last.step);
    this.takeStep(message.step, known(message.records));
  }

  /** Shows a step from its beginning. A step of which only numbers were kept is drawn as the step that it is like. */
  private takeStep(step: number, records: AnyRecord[]): void {
    const numbers = numbersOf(records);
    const asked = (this.asked += 1);
    if (numbers?.like == null) return this.take(step, records);
    void this.stepLike(numbers.like)
      .then((like) => withNumbers(like, numbers, records))
      .catch(() => records)
      .then((drawn) => {
        if (asked === this.asked) this.take(step, drawn, records);
      });
  }

  private async stepLike(step: number): Promise<readonly AnyRecord[]> {
    const { id } = this;
    if (this.like?.run !== id || this.like?.step !== step)
      this.like = { run: id!, step, records: origin().recordsOfStep(id!, step) };
    return this.like.records;
  }

  private take(step: number, records: AnyRecord[], bare: readonly AnyRecord[] | null = null): void {
    const again = step === this.step && this.history.records.length > 0;
    if (!again && this.mayWait(records)) this.coming = { step, records };
    else if (!again || this.history.records.at(-1)?.seq !== records.at(-1)?.seq) this.show(step, records, bare);
    else this.changed("snapshot");
    setBusy("snapshot", false);
  }

  private takeSteps({ steps, every }: Outline | Snapshot): void {
    this.steps = worthwhile(steps, this.live);
    this.every = every ?? 1;
  }

  private takeRun(run: Run): void {
    const failed = run.status === "failed" && this.run?.status !== "failed";
    const finished = run.status === "finished" && this.live && this.run?.id === run.id;
    // A window may be open before the record that names the launch.
    const launched = this.run?.id === run.id && this.run.launch == null && run.launch != null;
    this.run = run;
    this.problem = null;
    if (launched) this.expectRanks(true);
    if (launched) this.gatherIn(0);
    // In an ended run, an earlier step may show more than the newest, which is often an evaluation.
    if (finished && this.following) this.connect(null);
    if (run.paused) this.shown.tellNow();
    if (run.paused && this.coming) this.show(this.coming.step, this.coming.records);
    if (!failed) return;
    void origin()
      .lastRecord(run)
      .then((record) => (this.ending = record?.type === "run_finished" ? record : null))
      .catch(() => (this.ending = null));
  }

  /**
   * Whether to keep the current step for now: in a followed run, a step with nothing to show or without values does not
   * replace one that has them.
   */
  private mayWait(records: readonly AnyRecord[]): boolean {
    const showing = this.live && !this.run?.paused && this.following && this.history.records.length > 0;
    if (!showing || !drawable(records)) return showing;
    return performance.now() - this.shown.since < PATIENCE_MS && !records.some(hasValue);
  }

  private show(step: number, records: readonly AnyRecord[], bare: readonly AnyRecord[] | null = null): void {
    this.own = [...records];
    this.end = endOf(records);
    this.bare = bare;
    this.together = [];
    this.expectRanks(this.run?.launch != null);
    this.picture(step, this.run ? byItself(this.run, records) : records);
    this.gatherIn(0);
  }

  /** The run of a tensor or node in the picture, and its number there. */
  whose(number: number): { run: string | null; number: number } {
    const { id, together } = this;
    if (together.length < 2) return { run: id, number };
    return { run: together[number % together.length]!.id, number: Math.floor(number / together.length) };
  }

  /** The inverse: the number in the picture of a tensor or node of this run. */
  numbered(own: number): number {
    const { id, together } = this;
    return together.length < 2 ? own : own * together.length + together.findIndex((run) => run.id === id);
  }

  /** The rank of a tensor in the picture; null if the program ran alone. */
  rankOf(tensor: number): number | null {
    const { together } = this;
    return together.length < 2 ? null : (together[tensor % together.length]!.rank ?? null);
  }

  /** Fetches the other ranks of the launch and draws them beside this one, again when there are more records. */
  private gatherIn(ms: number): void {
    if (this.run?.launch == null) return;
    const at = performance.now() + ms;
    if (this.gathering && this.gathering.at <= at) return;
    clearTimeout(this.gathering?.timer);
    const timer = setTimeout(() => {
      this.gathering = null;
      void this.gather().catch(() => this.withoutOthers());
    }, ms);
    this.gathering = { at, timer };
  }

  private expectRanks(partial: boolean): void {
    this.partial = partial;
    setBusy("ranks", partial);
  }

  /** Shows this rank alone; the others are requested again while it runs. */
  private withoutOthers(): void {
    if (this.live) this.gatherIn(OTHERS_MS);
    if (!this.partial) return;
    this.expectRanks(false);
    this.changed("snapshot");
  }

  private async gather(): Promise<void> {
    const { step, run } = this;
    if (!run) return;
    const { together, records } = await drawn(run, step, this.own);
    if (step !== this.step || run.id !== this.id) return;
    const news = this.partial || records.length !== this.history.records.length;
    this.together = together;
    this.expectRanks(false);
    if (news) this.picture(step, records);
    if ([run, ...together].some(({ status }) => status === "running")) this.gatherIn(OTHERS_MS);
  }

  private picture(step: number, records: readonly AnyRecord[]): void {
    this.coming = null;
    this.shown.show(step, records);
  }

  private append(records: AnyRecord[]): void {
    const { coming } = this;
    if (coming) {
      coming.records.push(...records.filter((r) => (r.step ?? 0) === coming.step));
      if (!this.mayWait(coming.records)) this.takeStep(coming.step, coming.records);
      return;
    }
    const last = this.own.at(-1)?.seq ?? 0;
    const mine = records.filter((r) => (r.step ?? 0) === this.step && r.seq > last);
    if (mine.length === 0) return;
    if (this.bare) {
      this.bare = [...this.bare, ...mine];
      // Its own ops have arrived after all, and replace those drawn in their place.
      if (numbersOf(this.bare) === null) return this.takeStep(this.step, [...this.bare]);
    }
    const over = this.end;
    this.own.push(...mine);
    this.end = endOf(mine) ?? over;
    // These records were written after the step was over, but happened before: sort the step.
    if (over && mine.some(({ t }) => t < over.t)) return this.takeStep(this.step, [...this.own]);
    if (this.run?.launch != null) return this.gatherIn(GATHER_MS);
    this.shown.append(mine);
  }
}

const endOf = (records: readonly AnyRecord[]): StepTaken | null =>
  records.findLast((record) => record.type === "step_taken") ?? null;

/** The time between two requests for the other ranks while this one sends records, */
const GATHER_MS = 500;

/** and while it does not, since another may be slower. */
const OTHERS_MS = 2000;

/** How long a picture with values is kept before one without replaces it. */
const PATIENCE_MS = 2000;

/** After this time, a window that is not visible goes on without drawing. */
const UNSEEN_MS = 5000;

const hasValue = (record: AnyRecord): boolean => record.type === "node" && record.outputs[0]?.value != null;
