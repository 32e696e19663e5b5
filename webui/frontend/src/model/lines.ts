/**
 * Groups the ops of a frame that has too many by the lines of the program that ran them. A group is a stretch of time,
 * so that no line of the picture leads back into it.
 */
import type { Place } from "../protocol";
import { makeModule, type Module } from "./module";
import type { Structure } from "./structure";

/** Ops that ran one after the other on one line. */
interface Stretch {
  line: number;
  ops: number[];
  /** It does not follow the stretch before: a module ran between them, it is in another function, or a loop began anew. */
  apart: boolean;
}

/** The ops of a module itself, and on how many lines, one after the other, they ran. */
export interface Flat {
  ops: number;
  lines: number;
}

/**
 * Groups the ops of each module that has more than `most`. While a step runs, the step `before` says how many there
 * will be, so that no op disappears in a group which begins after it was shown; undefined where it does not run.
 */
export function groupLines(
  structure: Structure,
  module: Module,
  most: number,
  before: ReadonlyMap<string, Module> | null | undefined,
): void {
  for (const inner of module.modules) groupLines(structure, inner, most, before);
  if (module.stack) return;
  const stretches = stretchesOf(structure, module.ops);
  module.flat = { ops: module.ops.length, lines: stretches.length };
  const flat = before === undefined ? module.flat : before?.get(module.key)?.flat;
  if (!flat || flat.ops <= most || flat.lines === 1) return;
  const room = Math.max(LEAST, most - module.modules.length);
  group(structure, module, stretches, Math.ceil(flat.lines / room));
}

/** The fewest groups to make of a frame. */
const LEAST = 4;

function stretchesOf(structure: Structure, ops: readonly number[]): Stretch[] {
  const stretches: Stretch[] = [];
  let last = null as Place | null;
  let lastNumber = NaN;
  for (const op of ops) {
    const [at, number] = [structure.placeOf(op), structure.numberOf(op)];
    const line = at?.line ?? 0;
    const alike = number === lastNumber + 1 && at?.function === last?.function && at?.file === last?.file;
    if (alike && line === (last?.line ?? 0)) stretches.at(-1)!.ops.push(op);
    else stretches.push({ line, ops: [op], apart: !alike || line < (last?.line ?? 0) });
    [last, lastNumber] = [at, number];
  }
  return stretches;
}

/** Replaces the ops of a module by groups of so many lines each. A line with one op stays an op. */
function group(structure: Structure, module: Module, stretches: readonly Stretch[], lines: number): void {
  const names = new Map<string, number>();
  const groups: Module[] = [];
  module.ops = [];
  for (const part of parts(stretches, lines)) {
    const ops = part.flatMap((stretch) => stretch.ops);
    if (ops.length === 1) {
      module.ops.push(ops[0]!);
      continue;
    }
    const name = nameOf(part);
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    const called = count === 1 ? name : `${name} (${count})`;
    const segment = `${called}:${resultsOf(structure, part)}`;
    const made = makeModule(`${module.key}/${called}`, segment, module, structure.numberOf(ops[0]!));
    made.ops = ops;
    made.size = ops.length;
    groups.push(made);
  }
  module.modules = [...module.modules, ...groups].sort((a, b) => a.first - b.first);
}

function parts(stretches: readonly Stretch[], lines: number): Stretch[][] {
  const found: Stretch[][] = [];
  for (const stretch of stretches) {
    const last = found.at(-1);
    if (last && !stretch.apart && last.length < lines) last.push(stretch);
    else found.push([stretch]);
  }
  return found;
}

function nameOf(part: readonly Stretch[]): string {
  const lines = part.map(({ line }) => line);
  const [from, to] = [Math.min(...lines), Math.max(...lines)];
  return from === to ? `line ${from}` : `lines ${from}–${to}`;
}

/** The names of what the lines compute. */
function resultsOf(structure: Structure, part: readonly Stretch[]): string {
  const names = part.map(({ ops }) => structure.output(ops.at(-1)!)?.name ?? "");
  return [...new Set(names)].filter((name) => name !== "").join(", ");
}

/** Whether a segment is that of such a group. */
export const isLines = (segment: string): boolean => /^lines? \d+/.test(segment);
