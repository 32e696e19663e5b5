/**
 * Texts of the interface. They stand in English where they are used; the files of another language have them anew.
 *
 * This module knows no page: a component that reads a text is drawn again when another language is chosen, since
 * `language.svelte` says through a signal which one is spoken.
 */
import { said } from "./said";

export type Language = "en" | "de";
type Texts = Readonly<Record<string, string>>;
type Blanks = Readonly<Record<string, string | number>>;

let spoken: () => Language = () => "en";
const texts: Record<Language, Record<string, string>> = { en: {}, de: {} };
const sentences: Record<Language, Record<string, string>> = { en: {}, de: {} };

/** From now on this says which language is spoken. */
export const speakAs = (chosen: () => Language): void => void (spoken = chosen);

/** The language that is spoken. */
export const language = (): Language => spoken();

/** Adds the texts of an area, and templates for what the server says in it. */
export function learn(to: Language, area: Texts, templates: Texts = {}): void {
  Object.assign(texts[to], area);
  Object.assign(sentences[to], templates);
}

/** A text with its blanks filled in. What follows a bar tells apart two meanings of a word: `t("Run|noun")`. */
export function t(english: string, blanks: Blanks = {}): string {
  const text = texts[spoken()][english] ?? english.split("|")[0]!;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

/** A text with a number of things in it, `{n}`: `counted(2, "{n} op", "{n} ops")`. */
export const counted = (n: number, one: string, many: string, blanks: Blanks = {}): string =>
  t(n === 1 ? one : many, { n: grouped(n), ...blanks });

/** Marks a text that is kept in English in a table, and shown by `t`. */
export const english = (text: string): string => text;

/** A sentence that the server said in English, as far as there is a template for it. */
export const told = (sentence: string): string => said(sentence, sentences[spoken()]);

/** What a lesson says, in the language that is spoken, as far as it is translated. */
export const translated = (text: string, translations: Texts = {}): string => translations[spoken()] ?? text;

/** A German reads "13,446" as a little more than thirteen. */
const BETWEEN_THOUSANDS: Record<Language, string> = { en: ",", de: "\u202f" };

/** 13,446. By hand: the browser's own way takes 30 ms when it is first asked, and that is while a page opens. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, BETWEEN_THOUSANDS[spoken()]);
