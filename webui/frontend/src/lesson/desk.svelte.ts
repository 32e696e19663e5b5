/** One open lesson: the learner's texts, Python's answers, and the passed exercises. Views read it and call it. */
import { t } from "../language/text";
import { setBusy } from "../app/idle";
import { Session } from "../app/session.svelte";
import { ServerError } from "../protocol/client";
import {
  LessonConnection,
  type Line,
  loadCourse,
  loadLesson,
  makeGuess,
  resetCell,
  resetLesson,
  takeHint,
  type Told,
} from "./client";
import type { Before, Checked, Code, Course, Exercise, Lesson, Question, Trouble } from "./generated";
import { Drafts } from "./drafts.svelte";
import { type Standing, staleKeys, wanted } from "./order";
import { messageTold, rowsOf } from "./figure/verdict";
import { partsOf, Play } from "./figure/play.svelte";
import { printed } from "./printed";

export type Status = "idle" | "waiting" | "running" | "ok" | "failed" | "interrupted" | "skipped";

/** The result of a cell's last run. */
export interface Result {
  status: Status;
  text: string;
  trouble: Trouble | null;
  note: string;
  seconds: number;
  /** The text that was run. */
  ran: string | null;
  /** When it ran, counted in runs; 0 if the current Python has not run it. */
  at: number;
}

export interface Verdict {
  checking: boolean;
  passed: boolean;
  /** In English: pictures are drawn from it. */
  message: string;
  translations?: Record<string, string>;
  output: string;
}

const NOTHING: Result = {
  status: "idle",
  text: "",
  trouble: null,
  note: "",
  seconds: 0,
  ran: null,
  at: 0,
};

/** The panes beside the text: the figure, the explorer's graph, a wrong answer. */
export type Pane = "figure" | "graph" | "verdict";

export class Desk {
  course = $state.raw<Course | null>(null);
  lesson = $state.raw<Lesson | null>(null);
  /** Why there is nothing to show. */
  problem = $state<string | null>(null);
  line = $state<Line>("connecting");
  /** Why Python has ended, until it is started again. */
  died = $state<string | null>(null);
  /** The server's failure. */
  refusal = $state<string | null>(null);
  /** The announcement for a screen reader. */
  said = $state("");
  running = $state<string | null>(null);
  results = $state<Record<string, Result>>({});
  verdicts = $state<Record<string, Verdict | undefined>>({});
  /** The id of the run that the explorer beside the text can show. */
  run = $state<string | null>(null);
  readonly explorer = new Session();
  readonly drafts: Drafts;
  /** The figure at the beginning of the lesson. */
  play = $state.raw<Play | null>(null);
  /** The pane that the learner has chosen; else the graph, or, before there is one, the figure. */
  pane = $state<Pane | null>(null);
  /** The exercise whose verdict the pane shows. */
  pictured = $state<string | null>(null);

  cells = $derived((this.lesson?.cells ?? []).filter((c): c is Code | Exercise => "code" in c));
  exercises = $derived((this.lesson?.cells ?? []).filter((c): c is Exercise => c.kind === "exercise"));
  busy = $derived(this.running !== null || this.cells.some((c) => this.resultOf(c.key).status === "waiting"));
  standings = $derived<Standing[]>(
    this.cells.map((c) => {
      const { ran, at } = this.resultOf(c.key);
      return { key: c.key, code: this.codeOf(c.key), ran, at };
    }),
  );
  stale = $derived(staleKeys(this.standings));

  private connection: LessonConnection | null = null;
  private count = 0;

  constructor(readonly slug: string) {
    this.drafts = new Drafts(
      slug,
      (card) => this.mark(card),
      (message) => (this.refusal = message),
    );
  }

  resultOf = (key: string): Result => this.results[key] ?? NOTHING;
  codeOf = (key: string): string => this.drafts.of(key);
  exerciseOf = (id: string): Exercise | undefined => this.exercises.find((e) => e.id === id);

  async open(): Promise<void> {
    setBusy("lesson", true);
    try {
      const [course, lesson] = await Promise.all([loadCourse(), loadLesson(this.slug)]);
      this.course = course;
      this.take(lesson);
      this.drafts.takeLate();
      this.connection = new LessonConnection(this.slug, {
        told: (m) => this.told(m),
        line: (line) => this.onLine(line),
      });
    } catch (error) {
      this.problem = error instanceof ServerError ? error.message : t("The server does not answer.");
    } finally {
      setBusy("lesson", false);
    }
  }

  /** Loads the texts in the current language. The learner's texts and results stay. */
  async retell(): Promise<void> {
    if (!this.lesson) return;
    await this.drafts.save();
    await this.act(async () => {
      [this.course, this.lesson] = await Promise.all([loadCourse(), loadLesson(this.slug)]);
      this.play = figureOf(this.lesson);
    });
  }

  close(): void {
    void this.drafts.save();
    this.connection?.close();
    this.explorer.watch.close();
  }

  private take(lesson: Lesson): void {
    this.lesson = lesson;
    this.drafts.take(Object.fromEntries(this.cells.map((c) => [c.key, c.code])));
    this.play ??= figureOf(lesson);
  }

  /** Shows a verdict in the pane. */
  picture(id: string): void {
    this.pictured = id;
    this.pane = "verdict";
  }

  private onLine(line: Line): void {
    this.line = line;
    if (line === "waiting" || line === "taken") this.stopped("interrupted");
    if (line === "open") void this.drafts.save();
  }

  // Writing --------------------------------------------------------------------------------------------------------

  write(key: string, code: string): void {
    if (this.line !== "taken") this.drafts.write(key, code);
  }

  isBefore(key: string, other: string): boolean {
    const place = (wanted: string): number => this.cells.findIndex((c) => c.key === wanted);
    return place(key) < place(other);
  }

  async resetCell(key: string): Promise<void> {
    await this.act(async () => {
      await this.drafts.save();
      const { card, cells } = await resetCell(this.slug, key);
      const cell = cells.find((c): c is Code | Exercise => c.key === key && "code" in c);
      if (!cell) return;
      this.drafts.takeOne(key, cell.code);
      this.replace(cell);
      this.mark(card);
      if (cell.kind === "exercise") this.verdicts[cell.id] = undefined;
    });
    this.said = t("The cell has the lesson’s own text again.");
  }

  async resetLesson(): Promise<void> {
    await this.act(async () => {
      await this.drafts.save();
      this.take(await resetLesson(this.slug));
      this.verdicts = {};
      this.results = {};
    });
    this.restart();
    await this.refreshCourse();
    this.said = t("The lesson is as it was before you began.");
  }

  // Running --------------------------------------------------------------------------------------------------------

  /** Runs a cell, and before it all cells that this Python has not run. */
  runCell(key: string): void {
    this.start(wanted(this.standings, key), false);
  }

  runAll(): void {
    this.start(
      this.cells.map((c) => c.key),
      true,
    );
  }

  private start(keys: string[], freshly: boolean): void {
    if (this.busy || this.line !== "open") return;
    void this.drafts.save();
    const cells = keys.map((key) => ({ key, code: this.codeOf(key) }));
    if (!this.connection?.ask({ type: "run", cells, fresh: freshly || this.died !== null })) return;
    if (freshly || this.died !== null) this.forget();
    this.died = this.refusal = null;
    this.pane = null;
    for (const key of keys) this.results[key] = { ...NOTHING, status: "waiting" };
    setBusy("bench", true);
  }

  /** Takes the lesson back from another window, with the texts written there. */
  async takeBack(): Promise<void> {
    await this.act(async () => this.take(await loadLesson(this.slug)));
    this.connection?.reconnect();
  }

  interrupt(): void {
    this.connection?.ask({ type: "interrupt" });
  }

  restart(): void {
    this.died = null;
    this.forget();
    this.connection?.ask({ type: "restart" });
  }

  /** Marks all cells as not run; their output stays readable. */
  private forget(): void {
    this.count = 0;
    for (const [key, result] of Object.entries(this.results)) this.results[key] = { ...result, at: 0, ran: null };
  }

  /** Marks all cells as stopped. */
  private stopped(status: Status): void {
    for (const [key, result] of Object.entries(this.results)) {
      if (result.status === "running") this.results[key] = { ...result, status };
      else if (result.status === "waiting") this.results[key] = { ...result, status: "idle" };
    }
    for (const verdict of Object.values(this.verdicts)) if (verdict) verdict.checking = false;
    this.running = null;
    setBusy("bench", false);
    setBusy("check", false);
  }

  // Exercises and questions ----------------------------------------------------------------------------------------

  check(id: string): void {
    const exercise = this.exerciseOf(id);
    if (!exercise || this.line !== "open" || this.verdicts[id]?.checking) return;
    void this.drafts.save();
    if (!this.connection?.ask({ type: "check", id, code: this.codeOf(exercise.key) })) return;
    this.verdicts[id] = { checking: true, passed: false, message: "", output: "" };
    setBusy("check", true);
  }

  async hint(id: string): Promise<void> {
    await this.act(async () => this.replace(await takeHint(this.slug, id)));
    this.said = `${t("Hint:")} ${this.exerciseOf(id)?.hints.at(-1) ?? ""}`;
  }

  async guess(id: string, guess: number | null): Promise<void> {
    await this.act(async () => this.replace(await makeGuess(this.slug, id, guess)));
    await this.refreshCourse();
  }

  private async act(what: () => Promise<void>): Promise<void> {
    setBusy("act", true);
    try {
      await what();
      this.refusal = null;
    } catch (error) {
      this.refusal =
        error instanceof ServerError ? error.message : t("The server does not answer; nothing was changed.");
    } finally {
      setBusy("act", false);
    }
  }

  private replace(fresh: Code | Exercise | Question): void {
    if (!this.lesson) return;
    const cells = this.lesson.cells.map((c) => (c.key === fresh.key ? fresh : c));
    this.lesson = { ...this.lesson, cells };
  }

  /** Updates a lesson's card here and in the course, keeping its texts in the language of the page. */
  private mark(card: Lesson["card"]): void {
    const marked = (one: Lesson["card"]): Lesson["card"] =>
      one.slug === card.slug ? { ...card, title: one.title, goal: one.goal } : one;
    if (this.lesson) this.lesson = { ...this.lesson, card: marked(this.lesson.card) };
    if (this.course) this.course = { ...this.course, lessons: this.course.lessons.map(marked) };
  }

  private async refreshCourse(): Promise<void> {
    try {
      this.course = await loadCourse();
    } catch {
      /* It stays as it was; the line says that the server is gone. */
    }
  }

  // Messages of the server -------------------------------------------------------------------------------------------

  private told(message: Told): void {
    switch (message.type) {
      case "ready":
        return this.onReady(message.run ?? null);
      case "before":
        return this.onBefore(message);
      case "started":
        this.running = message.key;
        this.results[message.key] = { ...NOTHING, status: "running", ran: this.codeOf(message.key), at: ++this.count };
        return;
      case "output": {
        const result = this.resultOf(message.key);
        this.results[message.key] = { ...result, text: printed(result.text, message.text) };
        return;
      }
      case "finished":
        return this.onFinished(message);
      case "checked":
        return this.onChecked(message);
      case "died":
        this.died = message.message;
        this.said = message.message;
        this.stopped("interrupted");
        return this.forget();
      case "refused":
        this.refusal = message.message;
        return this.stopped("idle");
    }
  }

  /** Another run means another Python; the same run means that Python was never gone. */
  private onReady(run: string | null): void {
    if (run === this.run) return;
    this.forget();
    if (run !== null) this.watch(run);
  }

  private watch(run: string): void {
    this.run = run;
    this.explorer.openRun(run);
  }

  /** Shows the output and verdicts from before this page was opened. Python no longer has those results. */
  private onBefore({ run, results, verdicts }: Before): void {
    if (run != null && this.run === null) this.watch(run);
    for (const { key, code, status, text, seconds, trouble, note } of results ?? []) {
      const more = { seconds: seconds ?? 0, trouble: trouble ?? null, note: note ?? "" };
      const ran = code === this.codeOf(key) ? code : null;
      this.results[key] ??= { ...NOTHING, ...more, status, text, ran, at: 0 };
    }
    for (const { id, code, passed, message, translations, output } of verdicts ?? []) {
      const exercise = this.exerciseOf(id);
      if (exercise && code === this.codeOf(exercise.key))
        this.verdicts[id] ??= {
          checking: false,
          passed,
          message,
          translations: translations ?? {},
          output: output ?? "",
        };
    }
  }

  private onFinished({ key, status, seconds, trouble, note }: Extract<Told, { type: "finished" }>): void {
    const before = this.resultOf(key);
    const more = { seconds: seconds ?? 0, trouble: trouble ?? null, note: note ?? "" };
    this.results[key] = { ...before, ...more, status };
    if (status === "skipped") this.results[key] = { ...this.resultOf(key), at: 0, ran: null };
    if (this.running === key) this.running = null;
    if (status === "failed") this.said = `${t("The cell failed.")} ${trouble?.message ?? ""}`;
    else if (status === "ok") this.said = `${t("The cell has run.")} ${this.resultOf(key).text.slice(0, 200)}`;
    else if (status === "interrupted") this.said = t("The cell was stopped.");
    if (!this.busy) setBusy("bench", false);
  }

  private onChecked(message: Checked): void {
    const { id, passed, message: words, translations = {}, output } = message;
    this.verdicts[id] = { checking: false, passed, message: words, translations, output: output ?? "" };
    if (passed && this.pictured === id) this.pictured = this.pane = null;
    if (!passed && rowsOf(words).rows.length > 0) this.picture(id);
    const hints = this.exerciseOf(id)?.hints ?? message.exercise.hints;
    this.replace({ ...message.exercise, hints }); // in the language of this page
    this.mark(message.card);
    this.said = passed ? t("Passed.") : messageTold(words, translations);
    setBusy("check", false);
  }
}

/** The figure in a lesson's texts; null if it cannot be parsed, which `lesson test` reports to the author. */
function figureOf(lesson: Lesson): Play | null {
  for (const cell of lesson.cells) {
    const found = cell.kind === "text" ? partsOf(cell.markdown).find((part) => part.kind === "figure") : undefined;
    if (found) return played(found.text);
  }
  return null;
}

function played(text: string): Play | null {
  try {
    return new Play(text);
  } catch {
    return null;
  }
}
