/** Frames that are too large for the pane become lists while a program runs fast, if more of them is then in sight. */
import { describe, expect, it } from "vitest";
import { transformerRun } from "../../fixtures/runs";
import { compose, type Solver } from "../../src/layout/compose";
import { packed } from "../../src/layout/packing";
import { solveLinear } from "../../src/layout/linear";
import type { Block, Problem, Solution } from "../../src/layout/problem";
import { NO_WISH, type Wish } from "../../src/model/modules";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";

const lane = { f: 62, b: 186 };
const card: Block = { w: 248, h: 92, ins: [lane], outs: [lane], rank: null };
const ROOM = { w: 900, h: 850 };

/** Cards side by side, all joined to the last. */
function wide(count: number): { problem: Problem; solution: Solution } {
  const blocks = Array.from({ length: count }, () => card);
  const links = blocks.slice(1).map((_, i) => ({ from: i, to: count - 1, out: 0, in: 0, grad: true }));
  const problem = { blocks, links };
  const at = blocks.map((_, i) => (i < count - 1 ? { x: 278 * i, y: 0 } : { x: 0, y: 122 }));
  const { forward, backward } = solveLinear(problem);
  return { problem, solution: { at, forward, backward, w: 278 * (count - 1), h: 214 } };
}

describe("a frame that is too large", () => {
  it("becomes a list in columns that fits", () => {
    const { problem, solution } = wide(12);
    const list = packed(problem, solution, ROOM);
    expect(list.w).toBeLessThanOrEqual(ROOM.w);
    expect(list.h).toBeLessThanOrEqual(ROOM.h);
  });

  it("stays where it fits, where no room is given, and where a list would show no more", () => {
    const [few, many] = [wide(4), wide(12)];
    expect(packed(few.problem, few.solution, ROOM)).toBe(few.solution);
    expect(packed(many.problem, many.solution, null)).toBe(many.solution);
    expect(packed(many.problem, many.solution, { w: 900, h: 200 })).toBe(many.solution);
  });

  it("is packed while the program rushes by, and not where a moment is looked at", () => {
    const graph = new Structure();
    graph.append(transformerRun("t", 4));
    const side: Solver = (problem) => {
      const at = problem.blocks.map((_, i) => ({ x: 300 * i, y: 0 }));
      return { ...solveLinear(problem), at, w: 300 * problem.blocks.length, h: 100 };
    };
    const widthOf = (more: Partial<Wish>): number =>
      compose(visibleGraph(graph, new Map(), null, { ...NO_WISH, room: { w: 600, h: 3000 }, ...more }), side).bounds.w;
    expect(widthOf({ deep: false })).toBeLessThan(widthOf({ deep: true }));
  });
});
