/** The learner's texts of a lesson's cells, and their way to the server. */
import { ServerError } from "../protocol/client";
import { saveDraft } from "./client";
import type { Card } from "./generated";

const SAVE_AFTER_MS = 400;

/** A cell, its text, and the texts of it that the server may have. */
type Late = [key: string, text: string, bases: string[]];

type Texts = Record<string, string>;

export class Drafts {
  private texts = $state<Texts>({});
  /** The text of each cell that the server is known to have. */
  private kept: Texts = {};
  /** The text of each cell that is on its way to the server. */
  private readonly sent = new Map<string, string>();
  private readonly unsaved = new Set<string>();
  /** Ends when no text is on its way. */
  private saving: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly slug: string,
    private readonly saved: (card: Card) => void,
    private readonly refused: (message: string) => void,
  ) {}

  of = (key: string): string => this.texts[key] ?? "";

  /** Takes all texts as the server has them. */
  take(texts: Texts): void {
    this.unsaved.clear();
    this.texts = texts;
    this.kept = { ...texts };
  }

  /** Takes the text of one cell as the server has it. */
  takeOne(key: string, text: string): void {
    this.unsaved.delete(key);
    this.texts[key] = this.kept[key] = text;
  }

  write(key: string, text: string): void {
    if (this.texts[key] === text) return;
    this.texts[key] = text;
    this.unsaved.add(key);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
  }

  /**
   * Sends all unsaved texts, after those on their way: the server takes a text only from a page that has seen the one
   * before it, and must not get an old one last.
   */
  save(): Promise<void> {
    clearTimeout(this.timer);
    return (this.saving = this.saving.then(() => this.send()));
  }

  private async send(): Promise<void> {
    const keys = [...this.unsaved];
    this.unsaved.clear();
    await Promise.all(keys.map((key) => this.keep(key)));
  }

  private async keep(key: string): Promise<void> {
    const code = this.of(key);
    this.sent.set(key, code);
    try {
      this.saved(await saveDraft(this.slug, { key, code, base: this.kept[key] ?? null }));
      this.kept[key] = code;
    } catch (error) {
      if (error instanceof ServerError && error.status === 409) this.refused(error.message);
      else this.unsaved.add(key);
    } finally {
      this.sent.delete(key);
    }
  }

  /** Handles the end of the page. Texts that the server may not have are stored in the tab, for the next page. */
  leave(): void {
    const late = Object.keys(this.texts).filter((key) => this.texts[key] !== this.kept[key]);
    const mayHave = (key: string): string[] =>
      [this.kept[key], this.sent.get(key)].filter((text) => text !== undefined);
    const texts = late.map((key): Late => [key, this.of(key), mayHave(key)]);
    if (late.length > 0) sessionStorage.setItem(this.latePlace, JSON.stringify(texts));
    void this.send();
  }

  /** Takes the texts that the page before stored in the tab. */
  takeLate(): void {
    const texts = JSON.parse(sessionStorage.getItem(this.latePlace) ?? "[]") as Late[];
    sessionStorage.removeItem(this.latePlace);
    for (const [key, text, bases] of texts) if (bases.includes(this.of(key))) this.write(key, text);
  }

  private get latePlace(): string {
    return `minigrad.lesson.late.${this.slug}`;
  }
}
