/** Chooses between dot and the plain layout, and caches every problem it has solved. */
import type { Graphviz } from "@hpcc-js/wasm-graphviz";
import { readDot, writeDot } from "./dot";
import { solveLinear } from "./linear";
import type { Problem, Solution } from "./problem";

/** JSON with places and without drawing instructions; the package's types lack it. */
const PLACES = "json0" as "json";

/** Frames with more children than this are read as a list anyway. */
const DOT_UP_TO = 400;

export class CachingSolver {
  private readonly cache = new Map<string, Solution>();
  private readonly banned = new Set<string>();

  constructor(
    private readonly graphviz: Pick<Graphviz, "layout">,
    private readonly before: (key: string) => void = () => undefined,
  ) {}

  /** Compiles dot's code by running it once, before a layout is needed. */
  warm(): void {
    this.graphviz.layout(
      "digraph { a [label=<<TABLE><TR><TD>a</TD></TR></TABLE>>]; a -> b; a -> c; b -> c }",
      PLACES,
      "dot",
    );
  }

  /** Never use dot for this problem again: it took too long. */
  ban(key: string): void {
    this.banned.add(key);
  }

  knows(problem: Problem): boolean {
    return trivial(problem) || this.cache.has(writeDot(problem));
  }

  solve = (problem: Problem): Solution => {
    if (trivial(problem)) return solveLinear(problem);
    const text = writeDot(problem);
    const cached = this.cache.get(text);
    if (cached) return cached;
    const solution = this.banned.has(fingerprint(text)) ? solveLinear(problem) : this.byDot(problem, text);
    this.cache.set(text, solution);
    return solution;
  };

  private byDot(problem: Problem, text: string): Solution {
    this.before(fingerprint(text));
    try {
      return readDot(problem, this.graphviz.layout(text, PLACES, "dot"));
    } catch {
      return solveLinear(problem);
    }
  }
}

const trivial = (problem: Problem): boolean =>
  problem.blocks.length > DOT_UP_TO || problem.blocks.length <= 1 || problem.links.length === 0 || isLadder(problem);

const LADDER_FROM = 8;

/**
 * A row of blocks, each connected only to the next and to the frame's ports, as the members of a stack. Dot would take
 * long for it, and arrange it as stairs if all use the frame's input.
 */
function isLadder({ blocks, links }: Problem): boolean {
  const rungs = blocks.filter((b) => b.rank === null).length;
  if (rungs < LADDER_FROM) return false;
  const inner = links.filter((l) => blocks[l.from]!.rank === null && blocks[l.to]!.rank === null);
  return inner.every((l) => l.to === l.from + 1) && new Set(inner.map((l) => l.from)).size === rungs - 1;
}

/** A short name of a problem, for messages between threads. */
function fingerprint(text: string): string {
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = ((hash << 5) + hash + text.charCodeAt(i)) | 0;
  return `${text.length}.${hash >>> 0}`;
}
