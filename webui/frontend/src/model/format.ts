/** Numbers, sizes and shapes as text, the same everywhere. */
import type { NodeRecord, Step } from "../protocol";
import { language, type Language, t } from "../language/text";

const MINUS = "−";

/** A number in at most `digits` significant digits: 0.3843, −1.2e−7, 12 000 stays 12000. */
export function number(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined) return "–";
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : `${MINUS}∞`;
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-4 ? x.toExponential(Math.max(0, digits - 2)) : plain(x, digits);
  return text.replaceAll("-", MINUS).replace("e+", "e");
}

function plain(x: number, digits: number): string {
  if (Number.isInteger(x)) return String(x);
  const power = Math.floor(Math.log10(Math.abs(x)));
  return x.toFixed(Math.min(7, Math.max(0, digits - 1 - power)));
}

/** A number for a small cell of a matrix: always two digits after the point, or as short as it can be. */
export function cell(x: number): string {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : `${MINUS}∞`;
  const size = Math.abs(x);
  if (size >= 1000 || (size < 0.005 && size > 0)) return x.toExponential(0).replaceAll("-", MINUS).replace("e+", "e");
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2).replace("-", MINUS);
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = n / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** 4×8; a zero-dimensional tensor is a scalar. */
export const shape = (dims: readonly number[]): string => (dims.length === 0 ? t("scalar") : dims.join("×"));

/** The loss of a step or run, NaN and infinities too; null where there was none. */
export const lossOf = (row: Pick<Step, "loss" | "not_finite"> | null | undefined): number | null =>
  row?.not_finite ? NOT_FINITE[row.not_finite] : (row?.loss ?? null);

const NOT_FINITE = { nan: NaN, inf: Infinity, "-inf": -Infinity };

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const raised = (n: number): string => [...String(n)].map((d) => SUPERSCRIPT[Number(d)]).join("");

const INFIX = new Set(["+", "-", "*", "/", "@", "**", "//", "%", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^"]);

/** The op in the user's notation, with the known names: `x @ w1`, `+ b1`, `tanh`. */
export function expression(node: NodeRecord, nameOf: (tensor: number) => string | null): string {
  const symbol = node.symbol || node.op.toLowerCase();
  const names = node.inputs.map((input) => (input.tensor != null ? nameOf(input.tensor) : (input.constant ?? null)));
  if (symbol === "[]") return names[0] ? `${names[0]}[…]` : symbol;
  if ((INFIX.has(symbol) || INFIX.has(symbol.replace(/=$/, ""))) && names.length === 2) {
    const turned = node.formula?.startsWith(node.inputs[1]!.name) ?? false; // 1 - x runs an op that takes x first
    const [left, right] = turned ? names.toReversed() : names;
    const sign = symbol.replace("-", MINUS).replace(/^\*(=?)$/, "×$1");
    return `${left ?? "…"} ${sign} ${right ?? "…"}`;
  }
  if (names.length === 1 && symbol === "-") return `${MINUS}${names[0] ?? "…"}`;
  if (names.length === 1 && symbol === "/") return `1 / ${names[0] ?? "…"}`;
  if (names.length > 0 && names.length <= 2 && names.every(Boolean)) return `${symbol}(${names.join(", ")})`;
  return symbol === node.op.toLowerCase() ? "" : symbol;
}

export const moduleName = (segment: string): string => segment.split(":")[0] ?? segment;
export const moduleType = (segment: string): string => segment.split(":")[1] ?? "";

const LOCALES: Record<Language, string> = { en: "en-GB", de: "de-DE" };

/** A time of day with its date, short. */
export const when = (iso: string): string =>
  new Date(iso)
    .toLocaleString(LOCALES[language()], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })
    .replace(" ", "\u00a0");

/** A duration as text. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 90 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${(minutes / 60).toFixed(1)} h`;
}

/** How many uses of a tensor have sent gradients back, in words; `over`: no more will come. */
export function usesInWords(came: number, uses: number, over: boolean): string {
  if (uses <= 1) return "";
  if (came >= uses) return t("from all {uses} of its uses", { uses });
  return over
    ? t("from {came} of its {uses} uses", { came, uses })
    : t("from {came} of its {uses} uses so far", { came, uses });
}
