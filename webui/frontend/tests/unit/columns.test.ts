/** Frames that are taller than the pane go on in columns beside: nothing lies over anything, and no line runs through a box. */
import { describe, expect, it } from "vitest";
import { inColumns } from "../../src/layout/columns";
import { pointAt, type Rect } from "../../src/layout/geometry";
import { solveLinear } from "../../src/layout/linear";
import type { Block, Link, Problem, Solution } from "../../src/layout/problem";

/** Numbers that look like chance, the same every time. */
function chance(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 4294967296;
  };
}

/** A frame with ports, blocks of all sizes in a row, and some lines that go past others. */
function problemOf(seed: number): Problem {
  const random = chance(seed);
  const size = 8 + Math.floor(random() * 30);
  const lane = (w: number) => ({ f: w / 4, b: (3 * w) / 4 });
  const blocks: Block[] = Array.from({ length: size }, () => {
    const w = 130 + Math.round(random() * 400);
    return { w, h: 40 + Math.round(random() * 200), ins: [lane(w)], outs: [lane(w)], rank: null };
  });
  const links: Link[] = [];
  const join = (from: number, to: number): void => void links.push({ from, to, out: 0, in: 0, grad: random() < 0.8 });
  for (let i = 1; i < size; i++) join(i - 1, i);
  for (let i = 0; i < size / 4; i++) {
    const from = Math.floor(random() * (size - 2));
    join(from, from + 2 + Math.floor(random() * (size - from - 2)));
  }
  if (seed % 2) {
    blocks.push({ w: 128, h: 4, ins: [], outs: [{ f: 2, b: 126 }], rank: "first" });
    blocks.push({ w: 128, h: 4, ins: [{ f: 2, b: 126 }], outs: [], rank: "last" });
    for (let i = 0; i < 3; i++) join(size, Math.floor(random() * size));
    join(size - 1, size + 1);
    join(Math.floor(random() * size), size + 1);
  }
  return { blocks, links };
}

const ROOM = { w: 2400, h: 900 };

function rectsOf({ blocks }: Problem, { at }: Solution): Rect[] {
  return blocks.map((b, i) => ({ ...at[i]!, w: b.w, h: b.h }));
}

/** The part of a line that runs through the inside of a block that it does not end at. */
function collisions(problem: Problem, solution: Solution, lines: readonly number[]): string[] {
  const rects = rectsOf(problem, solution);
  return lines.flatMap((l) => {
    const { from, to } = problem.links[l]!;
    return [solution.forward[l]!, solution.backward[l] ?? []].flatMap((curve) => {
      if (curve.length === 0) return [];
      const points = Array.from({ length: 400 }, (_, t) => pointAt(curve, t / 399));
      return rects.flatMap(({ x, y, w, h }, i) =>
        i !== from &&
        i !== to &&
        points.some(([px, py]) => px > x + 1 && px < x + w - 1 && py > y + 1 && py < y + h - 1)
          ? [`${from}>${to} through ${i}`]
          : [],
      );
    });
  });
}

describe("a frame taller than the pane", () => {
  const cases = Array.from({ length: 60 }, (_, seed) => {
    const problem = problemOf(seed);
    const before = solveLinear(problem);
    return { seed, problem, before, after: inColumns(problem, before, ROOM) };
  });
  const wrapped = cases.filter(({ before, after }) => after !== before);

  it("goes on in columns", () => {
    expect(wrapped.length).toBeGreaterThan(30);
    for (const { before, after } of wrapped) {
      expect(after.h).toBeLessThan(before.h);
      expect(after.w).toBeLessThanOrEqual(ROOM.w);
    }
  });

  it("lays no block over another, nor outside of itself", () => {
    for (const { problem, after, seed } of wrapped) {
      const rects = rectsOf(problem, after);
      rects.forEach((a, i) => {
        expect([a.x >= -1, a.y >= -1, a.x + a.w <= after.w + 1, a.y + a.h <= after.h + 1], `${seed}: ${i}`).toEqual(
          Array(4).fill(true),
        );
        for (const b of rects.slice(i + 1))
          expect(
            a.x < b.x + b.w - 1 && b.x < a.x + a.w - 1 && a.y < b.y + b.h - 1 && b.y < a.y + a.h - 1,
            String(seed),
          ).toBe(false);
      });
    }
  });

  it("joins every line to the ports of its blocks", () => {
    for (const { problem, after, seed } of wrapped)
      problem.links.forEach((link, l) => {
        const [a, b] = [after.at[link.from]!, after.at[link.to]!];
        const curve = after.forward[l]!;
        const ends = [curve[0]! - a.x, curve[1]! - a.y, curve.at(-2)! - b.x, curve.at(-1)! - b.y];
        const [from, to] = [problem.blocks[link.from]!, problem.blocks[link.to]!];
        [from.outs[0]!.f, from.h, to.ins[0]!.f, 0].forEach((wanted, i) =>
          expect(ends[i], `${seed}: ${link.from}>${link.to}`).toBeCloseTo(wanted, 3),
        );
      });
  });

  it("leads no line from column to column through a block", () => {
    for (const { problem, before, after, seed } of wrapped) {
      const moves = (i: number): number => after.at[i]!.x - before.at[i]!.x;
      const crossing = problem.links.flatMap(({ from, to }, l) => (moves(from) !== moves(to) ? [l] : []));
      expect(collisions(problem, after, crossing), String(seed)).toEqual([]);
    }
  });

  it("stays where it is when more comes after it", () => {
    const problem = problemOf(4);
    const places = (size: number): { x: number; y: number }[] => {
      const part = {
        blocks: problem.blocks.slice(0, size),
        links: problem.links.filter(({ from, to }) => to === from + 1 && to < size),
      };
      return inColumns(part, solveLinear(part), ROOM).at;
    };
    const whole = places(problem.blocks.length);
    const half = places(Math.floor(problem.blocks.length * 0.6));
    half.forEach(({ y }, i) => expect(y).toBeCloseTo(whole[i]!.y, 3));
  });
});

it("a frame that fits, or a pane that is too narrow for two columns, changes nothing", () => {
  const problem = problemOf(2);
  const before = solveLinear(problem);
  expect(inColumns(problem, before, { w: 2400, h: before.h })).toBe(before);
  expect(inColumns(problem, before, { w: 300, h: 400 })).toBe(before);
  expect(inColumns(problem, before, null)).toBe(before);
});
