import { describe, expect, it } from "vitest";
import { transformerRun } from "../../fixtures/runs";
import { openedWithin } from "../../src/model/opening";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";

const structure = new Structure();
structure.append(transformerRun("t", 12));
const { root } = visibleGraph(structure, new Map());

describe("opening everything", () => {
  it("opens all there is where that can be taken in", () => {
    const { open, whole } = openedWithin(root, 100_000);
    expect(whole).toBe(true);
    expect(open.size).toBe(visibleGraph(structure, new Map()).modules.size - 1);
  });

  it("stops before the level that would be too much, and says how much there is", () => {
    const { open, whole, boxes } = openedWithin(root, 200);
    expect(whole).toBe(false);
    expect(boxes).toBeLessThanOrEqual(200);
    const folds = new Map([...visibleGraph(structure, new Map()).modules.keys()].map((k) => [k, !open.has(k)]));
    const seen = [...visibleGraph(structure, folds).items.values()].filter((i) => i.kind !== "leaf");
    expect(seen.length).toBeLessThanOrEqual(200);
  });
});
