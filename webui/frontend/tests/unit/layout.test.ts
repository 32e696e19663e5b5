import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { beforeAll, describe, expect, it } from "vitest";
import { mlpRun, scalarRun, transformerRun } from "../../fixtures/runs";
import { compose, type Placement } from "../../src/layout/compose";
import { contains, overlaps } from "../../src/layout/geometry";
import { CachingSolver } from "../../src/layout/solver";
import { solveLinear } from "../../src/layout/linear";
import { Structure } from "../../src/model/structure";
import { covers, type Folds, visibleGraph } from "../../src/model/visible";
import { NO_WISH } from "../../src/model/modules";
import type { AnyRecord } from "../../src/protocol";
import { FRAME } from "../../src/theme/scale";

let solver: CachingSolver;
let solved = 0;
beforeAll(async () => {
  solver = new CachingSolver(await Graphviz.load(), () => (solved += 1));
});

function structureOf(records: AnyRecord[], step = 0): Structure {
  const structure = new Structure();
  structure.append(records.filter((r) => (r.step ?? 0) === step));
  return structure;
}

const layout = (records: AnyRecord[], folds: Folds = new Map()): Placement =>
  compose(visibleGraph(structureOf(records), folds), solver.solve);

const rounded = (placement: Placement): Record<string, number[]> =>
  Object.fromEntries([...placement.boxes].map(([k, r]) => [k, [r.x, r.y, r.w, r.h].map(Math.round)]));

describe("the layout", () => {
  it("places the scalar expression as it always did", () => {
    expect(rounded(layout(scalarRun()))).toMatchSnapshot();
  });

  it("places the two-layer net as it always did", () => {
    expect(rounded(layout(mlpRun("m", 1)))).toMatchSnapshot();
  });

  it("lets no two boxes of one frame touch", () => {
    const structure = structureOf(mlpRun("m", 1));
    const visible = visibleGraph(structure, new Map());
    const { boxes } = compose(visible, solver.solve);
    const items = [...visible.items.values()];
    for (const a of items)
      for (const b of items)
        if (a.key < b.key) expect(overlaps(boxes.get(a.key)!, boxes.get(b.key)!), `${a.key} and ${b.key}`).toBe(false);
  });

  it("keeps a frame's name clear of what is in the frame", () => {
    const visible = visibleGraph(structureOf(mlpRun("m", 1)), new Map());
    const { boxes } = compose(visible, solver.solve);
    for (const item of visible.items.values()) {
      const frame = visible.modules.get(item.frame);
      if (frame && frame.parent !== null)
        expect(boxes.get(item.key)!.y, item.key).toBeGreaterThanOrEqual(boxes.get(frame.key)!.y + FRAME.head);
    }
  });

  it("moves nothing when backward starts", () => {
    const records = mlpRun("m", 1);
    const forwardOnly = records.filter((r) => r.seq < records.find((x) => x.type === "backward_started")!.seq);
    expect(rounded(layout(forwardOnly))).toEqual(rounded(layout(records)));
  });

  it("keeps the places of the step before while the next one grows", () => {
    const records = mlpRun("m", 2);
    const whole = visibleGraph(structureOf(records, 0), new Map());
    const second = records.filter((r) => r.step === 1);
    for (const n of [5, 12, 20, second.length]) {
      const growing = visibleGraph(structureOf(second.slice(0, n), 1), new Map(), whole);
      expect(covers(whole, growing)).toBe(true);
    }
    expect(covers(whole, visibleGraph(structureOf(scalarRun()), new Map()))).toBe(false);
  });

  it("draws a * a as two lines", () => {
    const edges = layout(scalarRun()).edges;
    expect(edges.filter((e) => e.count === 2)).toHaveLength(1);
  });

  it("joins routes to the cards they leave and reach", () => {
    const { boxes, edges } = layout(mlpRun("m", 1));
    for (const edge of edges.filter((e) => e.headForward && boxes.has(e.to))) {
      const box = boxes.get(edge.to)!;
      const [x, y] = [edge.forward.at(-2)!, edge.forward.at(-1)!];
      expect(x).toBeGreaterThanOrEqual(box.x - 1);
      expect(x).toBeLessThanOrEqual(box.x + box.w + 1);
      expect(Math.min(Math.abs(y - box.y), x === box.x || x === box.x + box.w ? 0 : Infinity)).toBeLessThan(1);
    }
  });

  it("opens a giant as fewer than 100 boxes, and equal blocks are solved once", () => {
    const structure = structureOf(transformerRun());
    const visible = visibleGraph(structure, new Map());
    expect(visible.items.size).toBeLessThan(100);
    const open: Folds = new Map([...visible.modules.keys()].map((k) => [k, false]));
    solved = 0;
    const start = performance.now();
    const whole = compose(visibleGraph(structure, open), solver.solve);
    expect(performance.now() - start).toBeLessThan(4000);
    expect(solved).toBeLessThan(20);
    expect(whole.boxes.size).toBeGreaterThan(1500);
  });

  it("returns to the same places after opening and folding", () => {
    const structure = structureOf(transformerRun("t", 4));
    const before = compose(visibleGraph(structure, new Map()), solver.solve);
    compose(visibleGraph(structure, new Map([["m/model/blocks.1", true]])), solver.solve);
    const after = compose(visibleGraph(structure, new Map()), solver.solve);
    expect(rounded(after)).toEqual(rounded(before));
  });

  it("gives every box of a gradient's lane its place in that lane, modules and passes of loops too", () => {
    const inLane = transformerRun("t", 4).map((r): AnyRecord => (r.type === "node" ? { ...r, layer: 1 } : r));
    const structure = structureOf(inLane);
    const open: Folds = new Map([...visibleGraph(structure, new Map()).modules.keys()].map((k) => [k, false]));
    for (const folds of [new Map(), open] as Folds[]) {
      const visible = visibleGraph(structure, folds);
      const { boxes } = compose(visible, solver.solve);
      for (const key of [...visible.items.keys(), ...visible.modules.keys()])
        if (visible.shown.get(key) === undefined && key !== "m") expect(boxes.has(key), key).toBe(true);
      for (const item of visible.items.values()) {
        const [frame, box] = [boxes.get(item.frame), boxes.get(item.key)!];
        if (!frame || item.host !== null) continue;
        const corners = contains(frame, box.x, box.y) && contains(frame, box.x + box.w, box.y + box.h);
        expect(corners, `${item.key} in ${item.frame}`).toBe(true);
      }
    }
  });

  it("goes on in columns where it is taller than the pane, every box whole in its frame and apart from others", () => {
    const structure = structureOf(transformerRun("t", 3));
    const folds: Folds = new Map([...visibleGraph(structure, new Map()).modules.keys()].map((k) => [k, false]));
    const room = { w: 2400, h: 900 };
    const tall = compose(visibleGraph(structure, folds), solver.solve);
    const visible = visibleGraph(structure, folds, null, { ...NO_WISH, room });
    const { boxes, bounds } = compose(visible, solver.solve);
    expect(bounds.h).toBeLessThan(0.75 * tall.bounds.h);
    expect(bounds.w).toBeLessThan(tall.bounds.w + 2 * room.w);
    const items = [...visible.items.values()];
    for (const a of items) {
      const [frame, box] = [boxes.get(a.frame), boxes.get(a.key)!];
      if (frame)
        expect(contains(frame, box.x, box.y) && contains(frame, box.x + box.w, box.y + box.h), a.key).toBe(true);
      for (const b of items)
        if (a.key < b.key) expect(overlaps(box, boxes.get(b.key)!), `${a.key} and ${b.key}`).toBe(false);
    }
  });

  it("has a plain fallback that keeps every box apart", () => {
    const visible = visibleGraph(structureOf(mlpRun("m", 1)), new Map());
    const { boxes } = compose(visible, solveLinear);
    expect(boxes.size).toBe(visible.items.size + visible.modules.size - 1);
  });
});
