import { describe, expect, it } from "vitest";
import { mlpRun } from "../../fixtures/runs";
import { compose } from "../../src/layout/compose";
import { extended } from "../../src/layout/extend";
import { contains, overlaps } from "../../src/layout/geometry";
import { solveLinear } from "../../src/layout/linear";
import { Structure } from "../../src/model/structure";
import { type Folds, type Visible, visibleGraph } from "../../src/model/visible";

const records = mlpRun("m", 1);

/** The picture after so many of the records. */
function after(count: number, folds: Folds = new Map()): Visible {
  const structure = new Structure();
  structure.append(records.slice(0, count));
  return visibleGraph(structure, folds);
}

const nodes = records.flatMap((r, i) => (r.type === "node" ? [i + 1] : []));

describe("the picture while the layout thread thinks", () => {
  it("has every new box at once, and moves none that was there", () => {
    let before = after(nodes[0]!);
    let placement = compose(before, solveLinear);
    for (const count of nodes.slice(1)) {
      const next = after(count);
      const grown = extended(placement, before, next)!;
      for (const [key, box] of placement.boxes)
        if (before.items.has(key)) expect(grown.boxes.get(key), key).toEqual(box);
      for (const item of next.items.values()) expect(grown.boxes.has(item.key), item.key).toBe(true);
      for (const edge of next.edges)
        expect(grown.edges.some((line) => line.to === edge.to || line.from === edge.from)).toBe(true);
      [before, placement] = [next, grown];
    }
  });

  it("lets no two of the new boxes touch, and opens modules around theirs", () => {
    const before = after(nodes[0]!);
    const next = after(records.length);
    const { boxes } = extended(compose(before, solveLinear), before, next)!;
    const ops = [...next.items.values()].filter((item) => item.kind === "op");
    for (const a of ops) {
      for (const b of ops)
        if (a.key < b.key) expect(overlaps(boxes.get(a.key)!, boxes.get(b.key)!), `${a.key} and ${b.key}`).toBe(false);
      const [frame, box] = [boxes.get(a.frame), boxes.get(a.key)!];
      if (frame) expect(contains(frame, box.x, box.y) && contains(frame, box.x + box.w, box.y + box.h)).toBe(true);
    }
  });

  it("places nothing below boxes of the step before, which are drawn no more", () => {
    const [before, next] = [after(nodes[0]!), after(nodes[1]!)];
    const placement = compose(before, solveLinear);
    const boxes = new Map([...placement.boxes, ["gone", { x: 0, y: 5000, w: 100, h: 100 }]]);
    const grown = extended({ ...placement, boxes }, before, next)!;
    expect(grown).toEqual(extended(placement, before, next));
  });

  it("leaves to the thread what is another picture, not more of one", () => {
    const open = after(records.length);
    const key = [...open.modules.keys()].find((k) => k !== "m")!;
    const folded = after(records.length, new Map([[key, true]]));
    expect(extended(compose(open, solveLinear), open, folded)).toBeNull();
    expect(extended(compose(folded, solveLinear), folded, open)).toBeNull();
  });
});
