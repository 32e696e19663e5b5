/** Stacks list their instances, and one of them is drawn open beside the card. */
import { describe, expect, it } from "vitest";
import { transformerRun } from "../../fixtures/runs";
import { Tape } from "../../fixtures/tape";
import { compose } from "../../src/layout/compose";
import { contains, overlaps } from "../../src/layout/geometry";
import { solveLinear } from "../../src/layout/linear";
import { cellCount, cellOf, cellsOf, instancesOf, rangeName, stripSize } from "../../src/layout/strip";
import { cardOf } from "../../src/model/card";
import { History } from "../../src/model/history";
import { pathOf, spoken } from "../../src/model/module";
import { Structure } from "../../src/model/structure";
import { type Visible, visibleGraph, type Wish } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";

const records = transformerRun("t", 12);
const STACK = "m/model/blocks.0*";

function structureOf(some: readonly AnyRecord[]): Structure {
  const structure = new Structure();
  structure.append(some);
  return structure;
}

const wish = (more: Partial<Wish> = {}): Wish => ({
  ...{ boxes: 60, focus: null, deep: false, alarm: false, lens: true, narrow: false, room: null, lenses: new Map() },
  ...more,
});

const graph = structureOf(records);
const inBlock = (block: number): number =>
  [...graph.nodes.keys()].find((id) => graph.scopeOf(id).some((s) => s.startsWith(`blocks.${block}:`)))!;
const lensesOf = (visible: Visible): string[] => [...visible.modules.values()].filter((m) => m.lens).map((m) => m.key);

describe("a stack", () => {
  it("lists every instance, each in a cell of its own", () => {
    const visible = visibleGraph(graph, new Map(), null, wish());
    const { boxes } = compose(visible, solveLinear);
    const card = boxes.get(STACK)!;
    const cells = cellsOf(card, 12);
    expect(cells).toHaveLength(12);
    for (const [i, cell] of cells.entries()) {
      expect(contains(card, cell.x, cell.y) && contains(card, cell.x + cell.w, cell.y + cell.h)).toBe(true);
      for (const other of cells.slice(i + 1)) expect(overlaps(cell, other)).toBe(false);
    }
  });

  it("has room for any number of instances", () => {
    for (const count of [4, 16, 17, 50, 64, 100, 101, 999]) {
      const { w, h } = stripSize(count);
      const cells = cellsOf({ x: 0, y: 0, w, h }, count);
      expect(cells).toHaveLength(cellCount(count));
      expect(Math.max(...cells.map((c) => c.x + c.w))).toBeLessThanOrEqual(w);
      expect(Math.max(...cells.map((c) => c.y + c.h))).toBeLessThanOrEqual(h);
      for (let i = 0; i < count; i++) {
        const [from, to] = instancesOf(cellOf(i, count), count);
        expect(i >= from && i < to, `${i} of ${count}`).toBe(true);
      }
    }
  });

  it("names a cell of several instances by as many of them as have room", () => {
    expect([rangeName("3", "4"), rangeName("98", "99"), rangeName("99", "100"), rangeName("1001", "1010")]).toEqual([
      "3–4",
      "98–99",
      "99–",
      "1001–",
    ]);
  });

  it("says how far each instance is, and the norm of its gradient", () => {
    const history = new History();
    history.append(records);
    const visible = visibleGraph(graph, new Map(), null, wish());
    const item = visible.items.get(STACK)!;
    const middle = records.findIndex((r) => r.type === "backward_started") + 200;
    const early = cardOf(item, graph, visible, history.at(100)).strip;
    const later = cardOf(item, graph, visible, history.at(middle)).strip;
    expect(early.map((c) => c.label)).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    expect(early.at(-1)!.phase).toBe("absent");
    expect(later.every((c) => c.phase !== "absent")).toBe(true);
    expect(later.at(-1)!.backward).toBe(true);
    expect(later[0]!.backward).toBe(false);
  });
});

describe("the lens", () => {
  it("shows the instance that acts, at the same places for each", () => {
    const places = [2, 7].map((block) => {
      const visible = visibleGraph(graph, new Map(), null, wish({ focus: inBlock(block) }));
      expect(lensesOf(visible)).toEqual([`m/model/blocks.${block}`]);
      const { boxes } = compose(visible, solveLinear);
      return [boxes.get(`m/model/blocks.${block}`), boxes.get(STACK), boxes.get(`m/model/blocks.${block}/mlp`)];
    });
    expect(places[0]).toEqual(places[1]);
    expect(places[0]!.every(Boolean)).toBe(true);
  });

  it("stands beside everything else, and below it where there is no room", () => {
    for (const narrow of [false, true]) {
      const visible = visibleGraph(graph, new Map(), null, wish({ focus: inBlock(3), narrow }));
      const { boxes } = compose(visible, solveLinear);
      const lens = boxes.get("m/model/blocks.3")!;
      for (const item of visible.items.values())
        if (!item.key.startsWith("m/model/blocks.3") && !item.frame.startsWith("m/model/blocks.3"))
          expect(overlaps(lens, boxes.get(item.key)!), item.key).toBe(false);
    }
  });

  it("is the one that a person clicked, or none", () => {
    const asked = (key: string | null): string[] =>
      lensesOf(visibleGraph(graph, new Map(), null, wish({ focus: inBlock(3), lenses: new Map([[STACK, key]]) })));
    expect(asked("m/model/blocks.9")).toEqual(["m/model/blocks.9"]);
    expect(asked(null)).toEqual([]);
  });

  it("is drawn, however many boxes it has, where its op is in trouble", () => {
    const passes = structureOf(longPasses(5));
    const [, op] = [...passes.nodes.keys()].slice(-3);
    const drawn = (alarm: boolean): Visible =>
      visibleGraph(passes, new Map(), null, wish({ boxes: 20, focus: op!, deep: true, alarm }));
    expect(lensesOf(drawn(false))).toEqual([]);
    expect(drawn(true).items.get(passes.opKey(op!))).toMatchObject({ kind: "op" });
  });

  it("has each line that enters or leaves it as a stub at its border", () => {
    const visible = visibleGraph(graph, new Map(), null, wish({ focus: inBlock(3) }));
    const lens = "m/model/blocks.3";
    const { boxes, edges } = compose(visible, solveLinear);
    const [ins, outs] = [edges.filter((e) => e.stub === "in"), edges.filter((e) => e.stub === "out")];
    expect(ins.length).toBeGreaterThan(0);
    expect(outs.length).toBeGreaterThan(0);
    const { y, h } = boxes.get(lens)!;
    for (const edge of ins) expect(edge.forward[1]).toBeCloseTo(y);
    for (const edge of outs) expect(edge.forward.at(-1)).toBeCloseTo(y + h);
  });

  it("is called by a group's name, without the number that only tells keys apart", () => {
    expect(["no gradient", "no gradient (42)", "cell (2)", "pass 3"].map(spoken)).toEqual(
      ["no gradient", "no gradient", "cell (2)", "pass 3"], // prettier-ignore
    );
  });

  it("carries its whole path", () => {
    const visible = visibleGraph(graph, new Map(), null, wish({ focus: inBlock(3) }));
    expect(pathOf(visible.modules.get("m/model/blocks.3/mlp")!)).toBe("model.blocks.3.mlp");
  });
});

/** Passes through 24 ops each, none of which is in a module. */
function longPasses(count: number): AnyRecord[] {
  const tape = new Tape("loop.py", "for p in ps:\n    x = f(x, p)\nloss = x.mean()\n", { id: "loop", name: "loop.py" });
  let x = tape.tensor(tape.random(2, 2), { name: "x", requires: true });
  for (let pass = 0; pass < count; pass++)
    for (const letter of "trttrrtsrtssrttsrrrststs")
      x = tape.op(letter === "t" ? "Tanh" : letter === "r" ? "ReLU" : "Softmax", [x], "x = f(x, p)");
  tape.op("Mean", [x], "loss = x.mean()", "loss");
  return tape.records;
}

describe("a net that says which modules it has", () => {
  it("is folded from its first block on: twelve are one card before the second has run", () => {
    const tree = ["blocks:ModuleList", ...Array.from({ length: 12 }, (_, i) => `blocks.${i}:Block`)];
    const many = Array.from({ length: 40 }, (_, i) => `other${i}:Linear`);
    const inside = records.flatMap((r) => (r.type === "node" && r.scope ? r.scope[0] : [])) as string[];
    const entered = {
      ...records[0]!,
      type: "scope_entered",
      path: [inside[0]!],
      modules: [...tree, ...many],
    } as AnyRecord;
    const told = [entered, ...records];
    const first = told.findIndex((r) => r.type === "node" && r.scope!.some((s) => s.startsWith("blocks.0:")));
    const visible = visibleGraph(structureOf(told.slice(0, first + 1)), new Map(), null, wish());
    expect(visible.items.get(STACK)?.cells).toBe(12);
  });
});
