/**
 * Groups what repeats: twelve equal blocks, fifty passes of a loop. The children of a module, in the order they ran,
 * form a text; each child is a letter for its contents, whatever the ids. A part of the text that repeats
 * (`abcabcabcabc`) becomes one stack.
 */
import { moduleName, moduleType } from "./format";
import { functionName, isFunction } from "./functions";
import { isRank, makeModule, type Module, type Stack } from "./module";
import { isAside, LANE, type Structure } from "./structure";

/** The modules of the step before. */
type Before = ReadonlyMap<string, Module>;

/** A repeat in a text: its start, the length of a pass, and the number of passes. */
export interface Repeat {
  start: number;
  period: number;
  count: number;
}

const LEAST_PASSES = 4;
/** Two passes count as a loop only if a pass has this many ops, and both together this many. */
const [LONG_PASS, LONG_LOOP] = [16, 40];
/** A row of equal ops is folded only if it has at least this many. */
const LEAST_OPS = 8;
const LONGEST_PASS = 256;

interface Child {
  letter: number;
  op: number | null;
  module: Module | null;
}

/** Stacks repeats in the tree, from the inside out. */
export function stackRepeats(structure: Structure, root: Module, before: Before | null): void {
  new Stacker(structure, before).arrange(root);
}

/** The longest repeats of a text, from its start; those of a single letter must pass `single`. */
export function repeatsIn(text: readonly number[], single: (at: number) => boolean): Repeat[] {
  const found: Repeat[] = [];
  const runs = runsOf(text);
  for (let start = 0; start < text.length;) {
    const best = bestAt(runs, start, single);
    if (best) found.push(best);
    start += best ? best.period * best.count : 1;
  }
  return found;
}

/** For each period, how long the text equals itself shifted by the period. */
function runsOf(text: readonly number[]): Int32Array[] {
  const longest = Math.min(LONGEST_PASS, Math.floor(text.length / 2));
  const runs: Int32Array[] = [];
  for (let period = 1; period <= longest; period++) {
    const run = new Int32Array(text.length + 1);
    for (let i = text.length - period - 1; i >= 0; i--) run[i] = text[i] === text[i + period] ? run[i + 1]! + 1 : 0;
    runs.push(run);
  }
  return runs;
}

function bestAt(runs: Int32Array[], start: number, single: (at: number) => boolean): Repeat | null {
  let best: Repeat | null = null;
  runs.forEach((run, i) => {
    const period = i + 1;
    const count = Math.floor(run[start]! / period) + 1;
    const long = period >= LONG_PASS && count >= 2 && period * count >= LONG_LOOP;
    if ((count < LEAST_PASSES && !long) || (period === 1 && count < LEAST_OPS && !single(start))) return;
    if (!best || period * count > best.period * best.count) best = { start, period, count };
  });
  return best;
}

/** The letters of a structure. It only grows, so existing letters stay valid. */
class Alphabet {
  readonly ops = new Map<number, number>();
  private readonly letters = new Map<string, number>();

  letter(text: string): number {
    let letter = this.letters.get(text);
    if (letter === undefined) this.letters.set(text, (letter = this.letters.size));
    return letter;
  }
}

const alphabets = new WeakMap<Structure, Alphabet>();

function alphabetOf(structure: Structure): Alphabet {
  let alphabet = alphabets.get(structure);
  if (!alphabet) alphabets.set(structure, (alphabet = new Alphabet()));
  return alphabet;
}

class Stacker {
  private readonly alphabet: Alphabet;

  constructor(
    private readonly structure: Structure,
    private readonly before: Before | null,
  ) {
    this.alphabet = alphabetOf(structure);
  }

  /** Stacks what repeats in the module, and returns its letter. */
  arrange(module: Module): number {
    const inner = module.modules.map((m) => ({ letter: this.arrange(m), op: null, module: m }));
    const ops = module.ops.map((op) => ({ letter: this.letterOf(op), op, module: null }));
    const children: Child[] = inner.length === 0 ? ops : [...inner, ...ops].sort((a, b) => this.rank(a) - this.rank(b));
    const letter = this.alphabet.letter(`${typeOf(module)}(${children.map((c) => c.letter).join()})`);
    if (!module.modules.some((m) => isRank(m.key))) this.stackIn(module, children);
    if (module.segment.startsWith(LANE)) return this.alphabet.letter(module.key);
    return letter;
  }

  private rank(child: Child): number {
    return child.module ? child.module.first : this.structure.numberOf(child.op!);
  }

  private letterOf(op: number): number {
    const { ops } = this.alphabet;
    let letter = ops.get(op);
    if (letter !== undefined) return letter;
    const record = this.structure.nodes.get(op)!;
    letter = this.alphabet.letter(`${record.op} ${record.outputs[0]?.shape.join("×")} ${record.at?.line ?? ""}`);
    ops.set(op, letter);
    return letter;
  }

  /** Replaces the children that repeat by stacks. */
  private stackIn(module: Module, children: Child[]): void {
    const { among, repeats } = this.repeatsOf(module, children);
    if (repeats.length === 0) return;
    const gone = new Set<Child>();
    const stacks = repeats.map((repeat) => {
      const members = among.slice(repeat.start, repeat.start + repeat.period * repeat.count);
      for (const member of members) gone.add(member);
      return this.stack(module, members, repeat);
    });
    const rest = children.filter((c) => !gone.has(c));
    module.ops = rest.flatMap((c) => (c.op === null ? [] : [c.op]));
    module.modules = [...rest.flatMap((c) => (c.module ? [c.module] : [])), ...stacks].sort(
      (a, b) => a.first - b.first,
    );
  }

  /** The repeats among the children: of all children, or without those beside the loop if that finds more. */
  private repeatsOf(module: Module, children: Child[]): { among: Child[]; repeats: (Repeat & { names?: string[] })[] } {
    const main = children.filter((c) => c.module === null || !isBeside(c.module.segment));
    const ways = main.length < children.length ? [children, main] : [children];
    for (const among of ways) {
      const repeats = this.known(module, among) ?? this.foretold(module, among);
      if (repeats) return { among, repeats };
      const butLast = among.slice(0, -1); // the newest child may come after the loop, or stand beside it
      const known = this.known(module, butLast);
      if (known) return { among: butLast, repeats: known };
    }
    const found = ways.map((among) => {
      const foldable = (i: number): boolean => among[i]!.module !== null && !isAside(among[i]!.module!.segment);
      const text = among.map((c) => c.letter);
      return { among, repeats: repeatsIn(text, foldable) };
    });
    return found.reduce((a, b) => (covered(b.repeats) > covered(a.repeats) ? b : a));
  }

  /** The stacks of the step before, for a running step whose last pass is incomplete. Once it is over, no more come. */
  private known(module: Module, children: Child[]): (Repeat & { names: string[] })[] | null {
    const last = this.before?.get(module.key)?.modules.filter((m) => m.stack !== null);
    if (!last || last.length === 0) return null;
    const repeats: (Repeat & { names: string[] })[] = [];
    children.forEach((child, start) => {
      const stack = last.find((m) => m.key === keyOf(module, child, start))?.stack;
      if (!stack) return;
      const { period, names } = stack;
      const most = this.structure.over ? Math.floor((children.length - start) / period) : stack.count;
      const count = Math.min(stack.count, most);
      if (count > 1) repeats.push({ start, period, count, names: names.slice(0, count) });
    });
    const whole = ({ start, period, count }: Repeat): boolean => {
      const end = Math.min(children.length - 1, start + period * count);
      for (let i = start; i + period < end; i++) if (children[i]!.letter !== children[i + period]!.letter) return false;
      const last = children.length - 1;
      const inside = last >= start + period && last < start + period * count;
      return !inside || kindOf(children[last]!) === kindOf(children[last - period]!);
    };
    const goesOn = ({ start, period, count }: Repeat): boolean => {
      const end = start + period * count;
      for (let i = end; i < end + period; i++)
        if (!children[i] || children[i]!.letter !== children[i - period]!.letter) return false;
      return true;
    };
    return repeats.length > 0 && repeats.every(whole) && !repeats.some(goesOn) ? repeats : null;
  }

  /** Stacks that the net announces when it is called: the first of twelve equal modules belongs to a stack already. */
  private foretold(module: Module, children: Child[]): (Repeat & { names: string[] })[] | null {
    const groups = groupsIn(this.structure, module);
    const repeats = groups.flatMap((names) => {
      const start = children.findIndex((c) => c.module && moduleName(c.module.segment) === names[0]);
      if (start < 0) return [];
      let present = 0;
      while (present < names.length && isNamed(children[start + present], names[present]!)) present += 1;
      const equal = children.slice(start, start + present - 1).every((c) => c.letter === children[start]!.letter);
      return equal && (present === names.length || start + present === children.length)
        ? [{ start, period: 1, count: names.length, names }]
        : [];
    });
    return repeats.length > 0 ? repeats : null;
  }

  private stack(parent: Module, members: Child[], repeat: Repeat & { names?: string[] }): Module {
    const [first] = members as [Child];
    const stack = makeModule(keyOf(parent, first, repeat.start), "", parent, this.rank(first));
    const { period, count } = repeat;
    if (period > 1) {
      for (let pass = 0; pass * period < members.length; pass++)
        stack.modules.push(this.pass(stack, members.slice(pass * period, (pass + 1) * period), pass));
    } else {
      stack.modules = members.flatMap((c) => (c.module ? [c.module] : []));
      stack.ops = members.flatMap((c) => (c.op === null ? [] : [c.op]));
    }
    stack.size = members.reduce((sum, c) => sum + (c.module?.size ?? 1), 0);
    stack.stack = { count, period, ...this.called(members, period), names: repeat.names ?? namesOf(stack, count) };
    return stack;
  }

  private pass(stack: Module, members: Child[], number: number): Module {
    const [first] = members as [Child];
    const pass = makeModule(`${stack.key}${number + 1}`, `pass ${number + 1}:`, stack, this.rank(first));
    pass.ops = members.flatMap((c) => (c.op === null ? [] : [c.op]));
    pass.modules = members.flatMap((c) => (c.module ? [c.module] : []));
    pass.size = members.reduce((sum, c) => sum + (c.module?.size ?? 1), 0);
    this.stackIn(pass, members);
    return pass;
  }

  private called(members: Child[], period: number): Pick<Stack, "of" | "members"> {
    const [first] = members as [Child];
    const name = (module: Module): string => moduleName(module.segment);
    if (period === 1 && first.module) {
      const last = members.at(-1)!.module!;
      const calls = isFunction(first.module.segment);
      return {
        of: typeOf(first.module) || "module",
        members: calls ? "" : `${name(first.module)} … ${name(last)}`,
      };
    }
    const line = this.lineOf(members.slice(0, period));
    const modules = members.slice(0, period).flatMap((c) => (c.module ? [c.module] : []));
    if (period === 1) return { of: this.structure.nodes.get(first.op!)!.op, members: line };
    return { of: modules.length === 1 ? typeOf(modules[0]!) || "Pass" : "Loop", members: line };
  }

  /** The source line of a pass, if all its own ops are on one line. */
  private lineOf(pass: Child[]): string {
    const lines = new Set(pass.flatMap((c) => (c.op === null ? [] : [this.structure.placeOf(c.op)?.line ?? null])));
    const numbers = [...lines].filter((n): n is number => n !== null).sort((a, b) => a - b);
    if (numbers.length === 0) return "";
    return numbers.length === 1 ? `line ${numbers[0]}` : `lines ${numbers[0]}–${numbers.at(-1)}`;
  }
}

/** The type of a module; the name of a function. */
const typeOf = ({ segment }: Module): string => (isFunction(segment) ? functionName(segment) : moduleType(segment));

/** What a child is, before it is complete. */
const kindOf = ({ module, letter }: Child): unknown => (module ? typeOf(module) : letter);

/** Work beside a loop, such as making data or a gradient's graph, does not interrupt it. */
const isBeside = (segment: string): boolean => isAside(segment) || segment.startsWith(LANE);

const covered = (repeats: readonly Repeat[]): number =>
  repeats.reduce((sum, { period, count }) => sum + period * count, 0);

/** The key of a stack: its first member, or its place in the module; the same in every step. */
const keyOf = (parent: Module, first: Child, place: number): string =>
  first.module ? `${first.module.key}*` : `${parent.key}/@${place + 1}*`;

const namesOf = (stack: Module, count: number): string[] =>
  stack.modules.length === 0
    ? Array.from({ length: count }, (_, i) => String(i + 1))
    : stack.modules.map((m) => moduleName(m.segment));

/**
 * The part of each name that differs: 0 to 11 for h.0 to h.11, 1 and 2 for cell and cell (2). A single name is
 * unchanged.
 */
export function distinctNames(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const calls = names.map((name) => /^(.*?)(?: \((\d+)\))?$/.exec(name)!);
  if (calls.every(([, name]) => name === calls[0]![1])) return calls.map(([, , number]) => number ?? "1");
  const parts = names.map((name) => name.replace(/^pass /, "").split("."));
  const [first] = parts as [string[]];
  const least = Math.min(...parts.map((each) => each.length)) - 1;
  const alike = (at: (each: string[]) => string | undefined): boolean => parts.every((each) => at(each) === at(first));
  let [from, until] = [0, 0];
  while (from < least && alike((each) => each[from])) from += 1;
  while (until < least - from && alike((each) => each.at(-1 - until))) until += 1;
  const left = parts.map((each) => each.slice(from, each.length - until).join("."));
  const words = left.map((each) => /^(.*\D)\d+$/.exec(each)?.[1]);
  const alikeInAll = words[0] !== undefined && words.every((each) => each === words[0]);
  return alikeInAll && names.length > MOST_WHOLE ? left.map((each) => each.slice(words[0]!.length)) : left;
}

/** With more instances than this, each has only a small cell, with a short name such as 7 for task7. */
const MOST_WHOLE = 16;

const isNamed = (child: Child | undefined, name: string): boolean =>
  child?.module != null && moduleName(child.module.segment) === name;

const groups = new WeakMap<Structure, Map<string, string[][]>>();

/** The groups of equal modules that a module will call, by name: `h.0` to `h.11`. */
function groupsIn(structure: Structure, module: Module): string[][] {
  if (structure.foretold.size === 0) return [];
  let known = groups.get(structure);
  if (!known) groups.set(structure, (known = new Map()));
  const key = `${structure.foretold.size} ${module.key}`;
  let found = known.get(key);
  if (!found) known.set(key, (found = findGroups(structure, module)));
  return found;
}

function findGroups(structure: Structure, module: Module): string[][] {
  const path: string[] = [];
  let root: Module = module;
  for (; root.parent && root.parent.parent && !isRank(root.parent.key); root = root.parent)
    if (!root.stack) path.unshift(moduleName(root.segment));
  const scope = root.key.split("/").slice(1).join("/");
  const tree = [...structure.foretold].find(([key]) => key.replaceAll(/:[^/]*/g, "") === scope)?.[1];
  if (!tree) return [];
  const prefix = path.length > 0 ? `${path.join(".")}.` : "";
  const inside = tree.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  const groups = new Map<string, string[]>();
  for (const each of inside) {
    const [name, type] = each.split(":") as [string, string];
    const list = /^(.*)\.\d+$/.exec(name);
    if (!list || !inside.includes(`${list[1]}:ModuleList`)) continue;
    const group = `${list[1]}:${type}`;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups.values()].filter((names) => names.length >= LEAST_PASSES);
}
