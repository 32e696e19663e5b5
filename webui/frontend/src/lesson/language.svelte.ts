/** The language of the lesson pages. Texts stand in English where they are used; a language file has them all anew. */
import { GERMAN } from "./languages/de";
import { SAID_IN_GERMAN } from "./languages/de.said";
import { said } from "./said";

export type Language = "en" | "de";
export const LANGUAGES: Record<Language, string> = { en: "English", de: "Deutsch" };
const FILES: Record<Language, Record<string, string>> = { en: {}, de: GERMAN };
const SAID: Record<Language, Record<string, string>> = { en: {}, de: SAID_IN_GERMAN };
const STORED = "minigrad.lesson.language";

function stored(): Language {
  try {
    const found = localStorage.getItem(STORED);
    return found !== null && found in LANGUAGES ? (found as Language) : "en";
  } catch {
    return "en";
  }
}

let chosen = $state<Language>(typeof localStorage === "undefined" ? "en" : stored());

export const language = (): Language => chosen;

/** Another language is another page: its lesson comes from the server. */
export function speak(wanted: Language): void {
  try {
    localStorage.setItem(STORED, wanted);
  } catch {
    /* Then it is spoken as long as the page is open. */
  }
  chosen = wanted;
}

/** A text of the interface, with its blanks filled in. */
export function t(english: string, blanks: Record<string, string | number> = {}): string {
  const text = FILES[chosen][english] ?? english;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

/** A sentence that the server said in English, as far as the language file has a template for it. */
export const told = (english: string): string => said(english, SAID[chosen]);
