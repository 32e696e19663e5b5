/** A lesson's figure: a small program whose inputs the learner drags.

    w = 2 from -1 to 4
    product = w * 3
    y = tanh(product - 5)
    show by the chain rule = slope

Inputs come first, then one value on each line. The last value is the result; `slope` is its derivative with respect to
the first input, and `curvature` the second derivative. `show` adds a bar, `mark` a second point on the curve, `forward` shows
tangents in place of gradients. */
import { formula, type Formula, FormulaError, type Names } from "./expression";

export interface Input {
  name: string;
  start: number;
  from: number;
  to: number;
}

/** A line of the program that computes something. */
export interface Line {
  name: string;
  text: string;
  formula: Formula;
  /** The names it uses, each once, in their order. */
  uses: string[];
}

export interface Bar {
  label: string;
  formula: Formula;
}

export interface Program {
  inputs: Input[];
  lines: Line[];
  bars: Bar[];
  mark: Formula | null;
  forward: boolean;
}

const NUMBER = String.raw`[-−]?\d+\.?\d*(?:e[-+]?\d+)?`;
const INPUT = new RegExp(String.raw`^(\w+) = (${NUMBER})(?: from (${NUMBER}) to (${NUMBER}))?$`);
const SHOW = /^show (.+?) = (.+)$/;
const VALUE = /^([A-Za-z_]\w*) = (.+)$/;

export function parseProgram(text: string): Program {
  const program: Program = { inputs: [], lines: [], bars: [], mark: null, forward: false };
  for (const line of text.split("\n").map((each) => each.trim())) if (line) take(program, line);
  if (program.lines.length === 0) throw new FormulaError("the figure computes nothing");
  return program;
}

function take(program: Program, line: string): void {
  const input = INPUT.exec(line);
  const show = SHOW.exec(line);
  const value = VALUE.exec(line);
  if (line === "forward") program.forward = true;
  else if (line.startsWith("mark ")) program.mark = formula(line.slice(5));
  else if (show) program.bars.push({ label: show[1]!, formula: formula(show[2]!) });
  else if (input) {
    const [start, from, to] = [input[2]!, input[3] ?? input[2]!, input[4] ?? input[2]!].map(Number) as [number, number, number]; // prettier-ignore
    program.inputs.push({ name: input[1]!, start, from, to });
  } else if (value) {
    const text = value[2]!;
    const known = [...program.inputs, ...program.lines].map((each) => each.name);
    const uses = [...new Set(text.match(/[A-Za-z_]\w*/g) ?? [])].filter((name) => known.includes(name));
    program.lines.push({ name: value[1]!, text, formula: formula(text), uses });
  } else throw new FormulaError(`"${line}" is no line of a figure`);
}

/** A value of the program: the value, its gradient, and the contribution of each of its users. */
export interface Node {
  name: string;
  text: string;
  value: number;
  grad: number;
  tangent: number;
  uses: string[];
  sent: { user: string; amount: number }[];
}

/** Runs forward, then backward, one line at a time, as minigrad does. */
export function run(program: Program, inputs: Names): Node[] {
  const names: Names = { ...inputs };
  const first = program.inputs[0]?.name;
  const nodes = new Map<string, Node>();
  const slopes = new Map<string, Record<string, number>>();
  const add = (name: string, text: string, uses: string[]): Node => {
    const node = { name, text, value: names[name]!, grad: 0, tangent: name === first ? 1 : 0, uses, sent: [] };
    nodes.set(name, node);
    return node;
  };
  for (const input of program.inputs) add(input.name, "", []);
  for (const line of program.lines) {
    const found = line.formula(names);
    names[line.name] = found.value;
    slopes.set(line.name, found.slopes);
    add(line.name, line.text, line.uses).tangent = line.uses.reduce(
      (sum, each) => sum + (found.slopes[each] ?? 0) * nodes.get(each)!.tangent,
      0,
    );
  }
  backward(program, nodes, slopes);
  return [...nodes.values()];
}

function backward(program: Program, nodes: Map<string, Node>, slopes: Map<string, Record<string, number>>): void {
  nodes.get(program.lines.at(-1)!.name)!.grad = 1;
  for (const line of program.lines.toReversed()) {
    const { grad } = nodes.get(line.name)!;
    for (const name of line.uses) {
      const amount = grad * (slopes.get(line.name)![name] ?? 0);
      const node = nodes.get(name)!;
      node.grad += amount;
      node.sent.push({ user: line.name, amount });
    }
  }
}

/** The names for the bars and the mark: every value, its slope, and its curvature. */
export function context(program: Program, inputs: Names): Names {
  const first = program.inputs[0]!.name;
  const nodes = run(program, inputs);
  const slopeAt = (x: number): number => run(program, { ...inputs, [first]: x })[0]!.grad;
  const push = 1e-4 * Math.max(1, Math.abs(inputs[first]!));
  const names: Names = {};
  for (const node of nodes) {
    names[node.name] = node.value;
    names[`slope_of_${node.name}`] = node.grad;
    for (const { user, amount } of node.sent) names[`${user}_to_${node.name}`] = amount;
  }
  names.slope = nodes[0]!.grad;
  names.curvature = (slopeAt(inputs[first]! + push) - slopeAt(inputs[first]! - push)) / (2 * push);
  names.measured = measured(program, inputs, 0.01);
  return names;
}

const resultAt = (program: Program, inputs: Names): number =>
  run(program, inputs)[program.inputs.length + program.lines.length - 1]!.value;

/** The slope by finite differences: a small push in both directions. */
function measured(program: Program, inputs: Names, push: number): number {
  const first = program.inputs[0]!.name;
  const at = (x: number): number => resultAt(program, { ...inputs, [first]: x });
  return (at(inputs[first]! + push) - at(inputs[first]! - push)) / (2 * push);
}

/** The curve of the result over the first input, as points. */
export function curve(program: Program, inputs: Names, count = 160): [number, number][] {
  const { name, from, to } = program.inputs[0]!;
  return Array.from({ length: count + 1 }, (_, i) => {
    const x = from + ((to - from) * i) / count;
    return [x, resultAt(program, { ...inputs, [name]: x })];
  });
}

/** A number as text in a figure. */
export function told(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e4))
    return value.toExponential(1).replaceAll("-", "−");
  const rounded = Number(value.toFixed(Math.abs(value) >= 100 ? 1 : 3));
  return String(rounded === 0 ? 0 : rounded).replace("-", "−");
}
