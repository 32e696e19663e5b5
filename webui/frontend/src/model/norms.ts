/** Each parameter's gradient norm, step by step, and remarks about it. */
import type { GradNorm, Gradients, ParameterNorms, Step } from "../protocol";
import { number } from "./format";
import { english, t } from "../language/text";

/** A norm, or a word if it is not finite or missing; null if the step has no data about this parameter. */
export type Norm = ParameterNorms["norms"][number];

export const normOf = ({ norm, not_finite }: GradNorm): Norm => not_finite ?? norm ?? "none";

/** The same data as from the server, computed from loaded records. */
export function gradientsOf(steps: readonly Step[], recordOf: (seq: number) => Record<string, unknown>): Gradients {
  const rows = steps.filter((row) => row.norms != null);
  const found = new Map<number, ParameterNorms>();
  for (let i = rows.length - 1; i >= 0; i--) {
    for (const one of recordOf(rows[i]!.norms!).grad_norms as GradNorm[]) {
      const fresh = (): ParameterNorms => ({ tensor: one.tensor, name: one.name, norms: rows.map(() => null) });
      const curve = found.get(one.tensor) ?? fresh();
      curve.norms[i] = normOf(one);
      found.set(one.tensor, curve);
    }
  }
  return { every: 1, steps: rows.map((row) => row.step), parameters: [...found.values()], left_out: 0 };
}

/** A remark about a gradient; `gone` means missing in this step only. */
export type Remark = "nan" | "inf" | "exploding" | "vanishing" | "zero" | "none" | "gone";

/** One line of the chart and of the list. */
export interface Line {
  tensor: number;
  label: string;
  norms: readonly Norm[];
  /** The norm in the shown step. */
  now: Norm;
  remark: Remark | null;
}

/** A gradient smaller than this part of the largest quarter of gradients has no effect beside them. */
const VANISHING = 1e-4;

/** The factor over its earlier norm, in half of the steps, that counts as growth. */
const GROWN = 1e3;

/** The number of steps needed to say that a gradient has grown. */
const HISTORY = 3;

/** Every parameter, in the network's order, at `step`; `own` is the data of that step's record. */
export function linesOf(data: Gradients, step: number, own: readonly GradNorm[] | null): Line[] {
  const steps = data.steps ?? [];
  const at = steps.indexOf(step);
  const told = new Map(own?.map((one) => [one.tensor, normOf(one)]));
  const nowOf = ({ tensor, norms }: ParameterNorms): Norm => told.get(tensor) ?? norms[at] ?? null;
  const present = (data.parameters ?? []).map((one) => ({ ...one, now: nowOf(one) }));
  const long = quantile(present.map(({ now }) => now).filter(isLength), 0.75);
  const before = at < 0 ? steps.findLastIndex((s) => s < step) + 1 : at;
  const labels = labelsOf(present);
  return present.map(({ tensor, norms, now }, i) => ({
    tensor,
    label: labels[i]!,
    norms,
    now,
    remark: remarkOf(norms, now, long, before),
  }));
}

function remarkOf(norms: readonly Norm[], now: Norm, long: number, before: number): Remark | null {
  if (now === "nan" || now === "inf") return now;
  if ([now, ...norms].every((norm) => norm == null || norm === "none")) return "none";
  if (now == null) return null;
  if (now === "none") return "gone";
  if (now === 0) return "zero";
  if (now < long * VANISHING) return "vanishing";
  const earlier = norms.slice(0, before).filter(isLength);
  return earlier.length >= HISTORY && now > quantile(earlier, 0.5) * GROWN ? "exploding" : null;
}

const isLength = (norm: Norm): norm is number => typeof norm === "number" && norm > 0;

/** A quantile of the numbers; NaN if there are none, which compares false with everything. */
function quantile(numbers: number[], share: number): number {
  const sorted = numbers.sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}

/** Names of parameters. Equal names (two networks with the same layers) are numbered. */
function labelsOf(parameters: readonly ParameterNorms[]): string[] {
  const names = parameters.map(({ tensor, name }) => name ?? t("tensor {number}", { number: tensor }));
  const counts = new Map<string, number>();
  return names.map((name) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${nth})`;
  });
}

/** `0.0312`, `NaN`, `none`. */
export function said(norm: Norm): string {
  if (norm === null) return "–";
  if (norm === "none") return t("none|gradient");
  if (norm === "nan" || norm === "inf") return number(norm === "nan" ? NaN : Infinity);
  return number(norm, 3);
}

/** Remarks in words, for one parameter and for several. */
export const REMARKS: Record<Remark, { word: string; means: string }> = {
  nan: { word: "NaN", means: english("its gradient holds a NaN") },
  inf: { word: "∞", means: english("its gradient holds an infinity") },
  exploding: {
    word: english("exploding"),
    means: english("its gradient is a thousand times what it was before"),
  },
  vanishing: {
    word: english("vanishing"),
    means: english("its gradient is ten thousand times smaller than those of the largest quarter"),
  },
  zero: { word: english("zero"), means: english("its gradient is exactly zero") },
  none: {
    word: english("no gradient"),
    means: english("it never got a gradient: nothing that leads to the loss uses it"),
  },
  gone: { word: english("none now"), means: english("it had gradients in other steps, and none in this one") },
};

const ORDER: readonly Remark[] = ["nan", "inf", "exploding", "vanishing", "none", "zero", "gone"];

/** The more serious of two remarks. */
export function graver(one: Remark | null, other: Remark | null): Remark | null {
  const rank = (remark: Remark | null): number => (remark === null ? ORDER.length : ORDER.indexOf(remark));
  return rank(other) < rank(one) ? other : one;
}

/** The remarks, most serious first, each with its number of parameters. */
export function remarksIn(lines: readonly Line[]): { remark: Remark; count: number }[] {
  return ORDER.map((remark) => ({ remark, count: lines.filter((line) => line.remark === remark).length })).filter(
    ({ count }) => count > 0,
  );
}

/** The line nearest to a point, and its distance. */
export function nearestLine(
  lines: readonly Line[],
  steps: readonly number[],
  at: { x: number; y: number },
  x: (step: number) => number,
  y: (norm: number) => number,
): { line: Line; distance: number } | null {
  const gap = (i: number): number => Math.abs(x(steps[i]!) - at.x);
  let index = 0;
  for (let i = 1; i < steps.length; i++) if (gap(i) < gap(index)) index = i;
  let best: { line: Line; distance: number } | null = null;
  for (const line of lines) {
    const norm = line.norms[index] ?? line.norms[index - 1];
    if (typeof norm !== "number") continue;
    const distance = Math.abs(y(norm) - at.y);
    if (!best || distance < best.distance) best = { line, distance };
  }
  return best;
}
