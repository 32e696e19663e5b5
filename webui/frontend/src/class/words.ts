/** Times and numbers as text for a teacher. Pure. */
import type { Square, Wall } from "./generated";
import { counted, language, t, told } from "../language/text";

export function ago(seconds: number): string {
  if (seconds < 60) return t("now");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

/** A countdown as text. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The content of a square of the wall. */
export function sign({ state, tries }: Square): string {
  if (state === "solved") return tries > 1 ? String(tries) : "";
  return state === "none" || tries === 0 ? "" : `${tries}×`;
}

/** A mistake in the language of the page, as far as it is translated. */
export const mistakeTold = (mistake: string, { translations }: Wall): string =>
  translations[language()]?.[mistake] ?? told(mistake);

/** The same for a screen reader. */
export function spoken({ state, tries, mistake }: Square, wall: Wall): string {
  const times = counted(tries, "{n} try", "{n} tries");
  const words = {
    none: t("not begun"),
    working: t("at work, {times}", { times }),
    stuck: t("stuck, {times}", { times }),
    solved: t("solved, {times}", { times }),
  };
  return words[state] + (mistake ? `: ${mistakeTold(mistake, wall)}` : "");
}

export const shade = ({ state, tries }: Square): string =>
  state === "solved" ? (tries <= 1 ? "first" : tries <= 3 ? "soon" : "late") : state;

export const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
