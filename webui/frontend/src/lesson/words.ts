import { t } from "../language/text";

/** Seconds as text for a learner. */
export function seconds(took: number): string {
  if (took < 0.1) return t("no time");
  return took < 10 ? `${took.toFixed(1)} s` : `${Math.round(took)} s`;
}

export function minutes(count: number): string {
  if (count < 90) return `${count} min`;
  const hours = Math.floor(count / 60);
  const rest = count % 60;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Parses a number that a learner typed; a comma counts as a decimal point. Null if it is no number. */
export function readNumber(text: string): number | null {
  const clean = text
    .trim()
    .replace(/^−/, "-")
    .replace(/^(-?\d+),(\d+)$/, "$1.$2");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(clean)) return null;
  return Number(clean);
}

/** A number as in the lesson, without floating-point noise. */
export const plain = (value: number): string => String(Number(value.toPrecision(6))).replace("-", "−");
