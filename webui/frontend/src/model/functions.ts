/** The functions of the program as boxes, like modules: which of those around an op are drawn. */
import { moduleName } from "./format";
import { isAside, type Structure } from "./structure";

const TYPE = "function";

/** A call as a segment of a scope: `block() (2):function`. */
const segmentOf = (call: string): string => `${call.replace(/^[^ ]*/, "$&()")}:${TYPE}`;

/** Whether a segment is that of a function. */
export const isFunction = (segment: string): boolean => segment.includes("()") && segment.endsWith(`:${TYPE}`);

/** The name of a function, without the number of its call. */
export const functionName = (segment: string): string => moduleName(segment).replace(/ \(\d+\)$/, "");

/** A call: how many ops ran in it, how many of them are in the graph, and the numbers of the first and the last. */
interface Span {
  ops: number;
  recorded: number;
  first: number;
  last: number;
}

/** Decides for each op of a step which functions are drawn around it. */
export class Functions {
  private readonly spans = new Map<string, Span>();

  /** `has`: whether the step before shows a box of this key. It is shown again, even while it has few ops. */
  constructor(
    private readonly structure: Structure,
    private readonly has: (key: string) => boolean,
  ) {
    for (const id of structure.nodes.keys()) this.note(id);
  }

  private note(id: number): void {
    const number = this.structure.numberOf(id);
    const recorded = this.structure.nodes.get(id)!.recorded === false ? 0 : 1;
    for (const key of this.keysOf(id)) {
      const span = this.spans.get(key) ?? { ops: 0, recorded: 0, first: number, last: number };
      this.spans.set(key, span);
      span.ops += 1;
      span.recorded += recorded;
      span.last = number;
    }
  }

  /** The keys of the module around an op and of each function in it, outermost first. */
  private keysOf(id: number): string[] {
    let key = around(this.structure.scopeOf(id)).join("/");
    return [key, ...callsOf(this.structure, id).map((call) => (key = `${key}/${call}()`))];
  }

  /** The scope of an op, `shown` without functions, with those that are drawn. */
  with(id: number, shown: readonly string[], root: string): readonly string[] {
    const calls = callsOf(this.structure, id);
    if (calls.length === 0) return shown;
    const keys = this.keysOf(id);
    const scope = [...around(shown)];
    calls.forEach((call, i) => {
      const segment = segmentOf(call);
      const key = [root, ...scope, segment].map(moduleName).join("/");
      if (this.has(key) || this.tells(this.spans.get(keys[i + 1]!)!, this.spans.get(keys[i]!)!)) scope.push(segment);
    });
    return [...scope, ...shown.slice(around(shown).length)];
  }

  /**
   * A box of one op says no more than the op, nor does one around everything. And where something else ran between its
   * ops, such as a module, the picture would lead into the box and out again.
   */
  private tells(span: Span, outer: Span): boolean {
    return span.ops > 1 && span.recorded < outer.recorded && span.last - span.first + 1 === span.ops;
  }
}

const callsOf = (structure: Structure, id: number): readonly string[] => structure.nodes.get(id)!.calls ?? [];

/** A scope without the group of what is outside the graph. */
const around = (scope: readonly string[]): readonly string[] =>
  isAside(scope.at(-1) ?? "") ? scope.slice(0, -1) : scope;
