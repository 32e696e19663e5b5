/** Compares two steps by one number for each op and leaf: the ratio of its amounts. */
import { pairsOf, type Side, type Thing } from "./compare";
import { type Metric, ofLeaf, ofOp, said } from "./overlay";
import { norm } from "./values";
import { english, t } from "../language/text";

export const MEASURES = ["value", "gradient", "update", "time", "bytes"] as const;
export type Measure = (typeof MEASURES)[number];

export const MEASURE_WORDS: Record<Measure, string> = {
  value: english("norm of the value"),
  gradient: english("gradient norm"),
  update: english("update to weight"),
  time: english("time"),
  bytes: english("bytes"),
};

export interface Ratio {
  key: string;
  label: string;
  here: number;
  there: number;
  /** Infinity if the other amount is 0; NaN if one of them is not finite. */
  times: number;
}

/** Smaller differences are rounding. */
const ALIKE = 1e-6;

export interface Ratios {
  /** The largest change first, in either direction, without equal ones. */
  changed: Ratio[];
  alike: number;
  /** How many have no number in one or both steps. */
  missing: number;
}

export function ratiosOf(measure: Measure, here: Side, there: Side): Ratios {
  const found: Ratios = { changed: [], alike: 0, missing: 0 };
  for (const { mine, theirs } of pairsOf(here.graph, there.graph)) {
    const [a, b] = [amountOf(measure, mine, here), amountOf(measure, theirs, there)];
    if (a === null && b === null) continue;
    if (a === null || b === null) found.missing += 1;
    else if (Object.is(a, b) || Math.abs(a - b) <= ALIKE * Math.max(a, b)) found.alike += 1;
    else found.changed.push({ key: mine.key, label: mine.label, here: a, there: b, times: a / b });
  }
  found.changed.sort((p, q) => distance(q) - distance(p));
  return found;
}

/** For the picture: factors of change by key; 1 for equal. Numbers that are not finite are left out. */
export const foldsOf = ({ changed }: Ratios): Map<string, number> =>
  new Map(
    changed.flatMap(({ key, times }) => {
      const fold = Math.max(times, 1 / times);
      return Number.isFinite(fold) ? [[key, fold] as const] : [];
    }),
  );

/** The distance from 1, in either direction; a NaN is farthest. */
const distance = ({ times }: Ratio): number => (Number.isNaN(times) ? Infinity : Math.abs(Math.log(times)));

function amountOf(measure: Measure, { isOp, id }: Thing, { graph, state }: Side): number | null {
  if (measure === "value")
    return norm(isOp ? (state.nodes.get(id)?.output ?? null) : (graph.tensors.get(id)?.value ?? null));
  return isOp ? ofOp(measure, id, graph, state) : ofLeaf(measure, id, graph, state);
}

/** `0.0312`, `2.0 KiB`, as overlays write it. */
export const amountSaid = (measure: Measure, amount: number): string =>
  said(measure === "value" ? "gradient" : (measure satisfies Metric), amount);

/** `×9.0`, `÷3.2`, `from 0`, `to 0`. */
export function timesSaid({ here, there, times }: Ratio): string {
  if (Number.isNaN(times)) return "NaN";
  if (there === 0) return t("from 0");
  if (here === 0) return t("to 0");
  const factor = times > 1 ? times : 1 / times;
  const digits = factor < 1.1 ? 3 : factor < 10 ? 2 : 0;
  const text = factor >= 1e5 ? factor.toExponential(0).replace("e+", "e") : factor.toFixed(digits);
  return `${times > 1 ? "×" : "÷"}${text}`;
}
