/** Each parameter's gradient norm, step by step, and remarks about it. */
import type { GradNorm, Gradients, ParameterNorms, Step } from "../protocol";
import { number } from "./format";
import { english, t } from "../language/text";

/** A length, or a word for one that is no number or not there; null: the step tells nothing of this parameter. */
export type Norm = ParameterNorms["norms"][number];

export const normOf = ({ norm, not_finite }: GradNorm): Norm => not_finite ?? norm ?? "none";

/** The same as the server tells, of records that are at hand. */
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

/** The remark about a gradient; `gone` in this step only. */
export type Remark = "nan" | "inf" | "exploding" | "vanishing" | "zero" | "none" | "gone";

/** One line of the chart and of the list. */
export interface Line {
  tensor: number;
  label: string;
  norms: readonly Norm[];
  /** In the step that is shown. */
  now: Norm;
  remark: Remark | null;
}

/** So much of what the longest quarter of the gradients have at least: what it teaches is lost beside them. */
const VANISHING = 1e-4;

/** The factor over its earlier norm, in half of the steps. */
const GROWN = 1e3;

/** The number of steps needed to say that a gradient has grown. */
const HISTORY = 3;

/** Every parameter, in the network's order, as it stands at `step`; `own` is what that step's record tells. */
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

/** The number that such a share of them is below; NaN where there is none, to which nothing compares. */
function quantile(numbers: number[], share: number): number {
  const sorted = numbers.sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}

/** Names; where several bear the same one (two networks of the same layers), they are numbered. */
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

/** Remarks in words, for one parameter beside its norm and for several. */
export const REMARKS: Record<Remark, { word: string; means: string }> = {
  nan: { word: "NaN", means: english("its gradient holds a NaN") },
  inf: { word: "∞", means: english("its gradient holds an infinity") },
  exploding: {
    word: english("exploding"),
    means: english("its gradient is a thousand times what it was before"),
  },
  vanishing: {
    word: english("vanishing"),
    means: english("its gradient is ten thousand times shorter than those of the longest quarter"),
  },
  zero: { word: english("zero"), means: english("its gradient is exactly zero") },
  none: {
    word: english("no gradient"),
    means: english("it never got a gradient: nothing that leads to the loss uses it"),
  },
  gone: { word: english("none now"), means: english("it had gradients in other steps, and none in this one") },
};

const ORDER: readonly Remark[] = ["nan", "inf", "exploding", "vanishing", "none", "zero", "gone"];

/** The one of the two that comes first. */
export function graver(one: Remark | null, other: Remark | null): Remark | null {
  const rank = (remark: Remark | null): number => (remark === null ? ORDER.length : ORDER.indexOf(remark));
  return rank(other) < rank(one) ? other : one;
}

/** The remarks to make, the gravest first, and the number of parameters of each. */
export function remarksIn(lines: readonly Line[]): { remark: Remark; count: number }[] {
  return ORDER.map((remark) => ({ remark, count: lines.filter((line) => line.remark === remark).length })).filter(
    ({ count }) => count > 0,
  );
}

/** The line that comes nearest to a point, and how near. */
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
