/**
 * Parses formulas of one line for a lesson's figure, such as `tanh(w * x + b)`. Each gives its value and its slopes.
 */

/** A value, and its slope with respect to each name in the formula. */
export interface Value {
  value: number;
  slopes: Record<string, number>;
}

export type Names = Record<string, number>;
export type Formula = (names: Names) => Value;

export class FormulaError extends Error {}

const constant = (value: number): Value => ({ value, slopes: {} });

/** Applies the chain rule: adds each part's slopes times the slope of the result with respect to the part. */
function joined(value: number, parts: [Value, number][]): Value {
  const slopes: Record<string, number> = {};
  for (const [part, factor] of parts)
    for (const [name, slope] of Object.entries(part.slopes)) slopes[name] = (slopes[name] ?? 0) + factor * slope;
  return { value, slopes };
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Functions of one number, with their slopes. */
const FUNCTIONS: Record<string, [(x: number) => number, (x: number, y: number) => number]> = {
  tanh: [Math.tanh, (_, y) => 1 - y * y],
  exp: [Math.exp, (_, y) => y],
  log: [Math.log, (x) => 1 / x],
  sin: [Math.sin, (x) => Math.cos(x)],
  cos: [Math.cos, (x) => -Math.sin(x)],
  sqrt: [Math.sqrt, (_, y) => 0.5 / y],
  abs: [Math.abs, (x) => Math.sign(x)],
  relu: [(x) => Math.max(0, x), (x) => (x > 0 ? 1 : 0)],
  sigmoid: [sigmoid, (_, y) => y * (1 - y)],
  ceil: [Math.ceil, () => 0],
  floor: [Math.floor, () => 0],
  step: [(x) => (x > 0 ? 1 : 0), () => 0],
};

const OPERATIONS: Record<string, (a: Value, b: Value) => Value> = {
  "+": (a, b) => joined(a.value + b.value, [[a, 1], [b, 1]]),
  "-": (a, b) => joined(a.value - b.value, [[a, 1], [b, -1]]),
  "*": (a, b) => joined(a.value * b.value, [[a, b.value], [b, a.value]]),
  "/": (a, b) => joined(a.value / b.value, [[a, 1 / b.value], [b, -a.value / b.value ** 2]]),
  "**": (a, b) => {
    const value = a.value ** b.value;
    const ofPower = Object.keys(b.slopes).length === 0 ? 0 : value * Math.log(a.value);
    return joined(value, [[a, b.value * a.value ** (b.value - 1)], [b, ofPower]]);
  },
}; // prettier-ignore

const TOKEN = /\s*(?:(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(\*\*|[-+*/(),]))/y;

/** Parses one formula, from the weakest operator to the strongest. */
class Reader {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const found = TOKEN.exec(text);
      if (!found) throw new FormulaError(`"${text}" is no formula`);
      this.tokens.push(found[1] ?? found[2] ?? found[3]!);
    }
  }

  whole(): Formula {
    const formula = this.sum();
    if (this.at < this.tokens.length) throw new FormulaError(`"${this.text}": ${this.tokens[this.at]} is one too many`);
    return formula;
  }

  private taken(...signs: string[]): string | null {
    const next = this.tokens[this.at];
    if (next === undefined || !signs.includes(next)) return null;
    this.at++;
    return next;
  }

  private chain(part: () => Formula, ...signs: string[]): Formula {
    let left = part();
    for (let sign = this.taken(...signs); sign; sign = this.taken(...signs)) {
      const [before, after, does] = [left, part(), OPERATIONS[sign]!];
      left = (names) => does(before(names), after(names));
    }
    return left;
  }

  private readonly sum = (): Formula => this.chain(this.product, "+", "-");
  private readonly product = (): Formula => this.chain(this.signed, "*", "/");

  private readonly signed = (): Formula => {
    if (!this.taken("-")) return this.power();
    const inner = this.signed();
    return (names) => OPERATIONS["*"]!(constant(-1), inner(names));
  };

  private power(): Formula {
    const base = this.atom();
    if (!this.taken("**")) return base;
    const power = this.signed();
    return (names) => OPERATIONS["**"]!(base(names), power(names));
  }

  private atom(): Formula {
    const token = this.tokens[this.at++];
    if (token === "(") {
      const inner = this.sum();
      if (!this.taken(")")) throw new FormulaError(`"${this.text}": a ) is missing`);
      return inner;
    }
    if (token === undefined || !/^[\w.]/.test(token)) throw new FormulaError(`"${this.text}" is no whole formula`);
    if (/^[\d.]/.test(token)) return () => constant(Number(token));
    return this.taken("(") ? this.call(token) : lookUp(token);
  }

  private call(name: string): Formula {
    const known = FUNCTIONS[name];
    if (!known) throw new FormulaError(`there is no function ${name}`);
    const [does, slope] = known;
    const inner = this.sum();
    if (!this.taken(")")) throw new FormulaError(`"${this.text}": a ) is missing`);
    return (names) => {
      const x = inner(names);
      const y = does(x.value);
      return joined(y, [[x, slope(x.value, y)]]);
    };
  }
}

const lookUp =
  (name: string): Formula =>
  (names) => {
    const value = names[name];
    if (value === undefined) throw new FormulaError(`there is no value ${name}`);
    return { value, slopes: { [name]: 1 } };
  };

export const formula = (text: string): Formula => new Reader(text).whole();
