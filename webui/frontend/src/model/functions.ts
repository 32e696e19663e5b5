/** The functions of the program as boxes, like modules: which of those around an op are drawn. */
import type { NodeRecord } from "../protocol";
import { moduleName } from "./format";
import { isAside, type Structure } from "./structure";

const TYPE = "function";

/** A call as a segment of a scope: `block() (2):function`. */
const segmentOf = (call: string): string => `${call.replace(/^[^ ]*/, "$&()")}:${TYPE}`;

/** The calls of functions around an op, as segments. */
export const functionsOf = (record: NodeRecord): string[] => (record.calls ?? []).map(segmentOf);

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

  /** `had`: whether the step before shows a box at a path. It is shown again, even while it has few ops. */
  constructor(
    private readonly structure: Structure,
    private readonly had: (path: string) => boolean,
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
    return [key, ...functionsOf(this.structure.nodes.get(id)!).map((segment) => (key += `/${segment}`))];
  }

  /** The scope of an op, `shown` without functions, with those that are drawn. */
  with(id: number, shown: readonly string[]): readonly string[] {
    const [module, ...calls] = this.keysOf(id).map((key) => this.spans.get(key)!);
    const outside = calls[0]?.recorded === 0; // all that it runs is outside the graph, like what is around it
    const scope = [...(outside ? shown : around(shown))];
    functionsOf(this.structure.nodes.get(id)!).forEach((segment, i) => {
      const path = [...scope, segment].map(moduleName).join("/");
      if (this.had(path) || tells(calls[i]!, calls[i - 1] ?? module!)) scope.push(segment);
    });
    return outside ? scope : [...scope, ...shown.slice(around(shown).length)];
  }
}

/**
 * Whether the box of a call says more than its ops: not that of a single one, nor one around everything. And where
 * something else ran between its ops, such as a module, the picture would lead into the box and out again.
 */
function tells(span: Span, outer: Span): boolean {
  const part = outer.recorded > 0 ? span.recorded < outer.recorded : span.ops < outer.ops;
  return part && span.ops > 1 && span.last - span.first + 1 === span.ops;
}

/** A scope without the group of what is outside the graph. */
const around = (scope: readonly string[]): readonly string[] =>
  isAside(scope.at(-1) ?? "") ? scope.slice(0, -1) : scope;
