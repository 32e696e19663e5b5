/** Where a program is paused and where it will pause, in words, and what "here" means for an op or a leaf. */
import type { Breakpoint, NodeRecord, Pause, Place } from "../protocol";
import { isRankSegment } from "./ranks";
import type { Structure } from "./structure";
import { english, t } from "../language/text";

/** A breakpoint as on the command line: `op=MatMul,backward`. */
export function written(b: Breakpoint): string {
  const place = b.line == null ? null : b.file ? `${short(b.file)}:${b.line}` : String(b.line);
  const parts: string[] = [];
  for (const [name, value] of [
    ["op", b.op],
    ["name", b.name],
    ["line", place],
    ["module", b.module],
  ] as const)
    if (value) parts.push(`${name}=${value}`);
  if (b.node != null) parts.push(`node=${b.node}`);
  if (b.nan) parts.push("nan");
  if (b.norm != null) parts.push(`norm>${b.norm}`);
  if (b.phase) parts.push(b.phase);
  return parts.join(",");
}

export const sameBreakpoint = (a: Breakpoint, b: Breakpoint): boolean =>
  FIELDS.every((field) => (a[field] ?? false) === (b[field] ?? false));

const FIELDS = ["op", "name", "file", "line", "module", "node", "nan", "norm", "phase"] as const;

export const short = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

export const placed = (at: Place | null | undefined): string => (at ? `${short(at.file)}:${at.line}` : "");

/** "before Tanh", "after Log", "where w1.grad has arrived". */
export function moment(pause: Pause): string {
  if (pause.leaf != null) return t("where {leaf}.grad has arrived", { leaf: pause.names?.[0] ?? t("a leaf") });
  return pause.when === "before" ? t("before {op}", { op: pause.op }) : t("after {op}", { op: pause.op });
}

/** For the status, the title and the list of runs: "Paused at Tanh, train.py:12". */
export function pausedAt(pause: Pause): string {
  const what = pause.leaf != null ? `${pause.names?.[0] ?? t("leaf")}.grad` : pause.op;
  const where = placed(pause.at);
  return t("Paused at {what}", { what: where ? `${what}, ${where}` : what });
}

const REASONS: Record<Pause["reason"], string> = {
  pause: english("as requested"),
  step: english("one step on"),
  run_to: english("run to here"),
  breakpoint: english("a breakpoint"),
};

/** Why the program paused, unless the pressed button makes that clear. */
export function reason(pause: Pause): string {
  if (pause.reason === "breakpoint" && pause.breakpoint)
    return t("breakpoint {breakpoint}", { breakpoint: written(pause.breakpoint) });
  return t(REASONS[pause.reason]);
}

/** One sentence with all facts about a pause, for the live region. */
export function announced(pause: Pause): string {
  const { at, running_at, leaf, names } = pause;
  const parts = [
    leaf == null && names?.length
      ? t("{moment} of {names}", { moment: moment(pause), names: names.join(", ") })
      : moment(pause),
    t("{phase} of step {step}", { phase: pause.phase, step: pause.step ?? 0 }),
    at && t("{file} line {line}", { file: short(at.file), line: at.line }),
    running_at && t("started in line {line}", { line: running_at.line }),
  ];
  const where = parts.filter(Boolean).join(", ");
  return t("The program is paused {where}: {reason}.", { where, reason: reason(pause) });
}

/** The key that a pause has in the picture: its node or leaf; before an op without a node, its inputs. */
export function keyOf(pause: Pause, graph: Structure): string | null {
  if (pause.leaf != null) return graph.leaves.has(pause.leaf) ? graph.leafKey(pause.leaf) : null;
  const node = pause.node ?? pause.from_nodes?.at(-1) ?? null;
  return node !== null && graph.nodes.has(node) ? graph.opKey(node) : null;
}

/** A breakpoint that pauses at this op each time: its kind, its line, its module. */
export function breakHere(record: NodeRecord): Breakpoint {
  const scope = (record.scope ?? []).filter((part) => !isRankSegment(part));
  const module = scope.map((part) => part.split(":")[0]).join(".");
  const at = record.at ? { file: record.at.file, line: record.at.line } : {};
  return { op: record.op, ...at, ...(module ? { module } : {}) };
}

/**
 * A breakpoint that pauses at this op once: at its backward if that is still to come in this step, else when it runs
 * next.
 */
export function runHere(record: NodeRecord, backwardToCome: boolean): Breakpoint {
  if (backwardToCome) return { node: record.id, phase: "backward", once: true };
  return { ...breakHere(record), phase: "forward", once: true };
}

export const KINDS = ["op", "name", "line", "module", "nan", "norm"] as const;
export type FormKind = (typeof KINDS)[number];

/** The breakpoint from the form's fields, or a sentence about what is wrong with them. */
export function fromForm(kind: FormKind, text: string, phase: "" | "forward" | "backward"): Breakpoint | string {
  const value = text.trim();
  const when = phase ? { phase } : {};
  if (kind === "nan") return { nan: true, ...when };
  if (value === "") return t("Say which.");
  if (kind === "norm") {
    const norm = Number(value);
    return Number.isFinite(norm) && norm >= 0 ? { norm } : t("A bound is a number, such as 10.");
  }
  if (kind !== "line") return { [kind]: value, ...when };
  const found = /^(?:(.+):)?(\d+)$/.exec(value);
  if (!found) return t("A line is a number, or a file and a number: train.py:12.");
  return { ...(found[1] ? { file: found[1] } : {}), line: Number(found[2]), ...when };
}
