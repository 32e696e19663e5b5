import { describe, expect, it } from "vitest";
import { mlpRun, transformerRun } from "../../fixtures/runs";
import { History } from "../../src/model/history";
import { NO_WISH } from "../../src/model/modules";
import { revealed } from "../../src/model/reveal";
import { search } from "../../src/model/search";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";

function structureOf(records: AnyRecord[]): Structure {
  const structure = new Structure();
  structure.append(records);
  return structure;
}

describe("what a search finds", () => {
  const records = transformerRun("transformer", 12);
  const graph = structureOf(records);

  it("is drawn itself, whatever it was folded in, and beside a stack that stays closed", () => {
    for (const boxes of [12, 60]) {
      const wish = { ...NO_WISH, boxes, lens: true };
      const before = visibleGraph(graph, new Map(), null, wish);
      const folded = [...before.shown].filter(([key, at]) => key !== at && !key.startsWith("m"));
      expect(folded.length).toBeGreaterThan(100);
      for (const [key] of folded) {
        const { folds, lenses } = revealed(key, graph, before, new Map(), new Map());
        const after = visibleGraph(graph, folds, null, { ...wish, lenses });
        expect(after.items.has(key), key).toBe(true);
        for (const stack of before.modules.values())
          if (stack.stack && stack.modules.length > 0) expect(after.modules.get(stack.key)!.folded).toBe(true);
      }
    }
  });

  it("leaves other folds as they are", () => {
    const small = structureOf(mlpRun().filter((record) => record.step === 0));
    const visible = visibleGraph(small, new Map([["m/net", true]]), null);
    const chosen = new Map([["m/other", true]]);
    expect(revealed("n1", small, visible, chosen, new Map())).toEqual({
      folds: new Map(chosen).set("m/net", false).set("m/net/0", false),
      lenses: new Map(),
    });
  });

  it("says where it is", () => {
    const history = new History();
    history.append(records);
    const found = search("op:softmax", graph, history.at(history.length));
    expect(Array.isArray(found) && found.map(({ detail }) => detail.split(" · ")[0]).slice(0, 3)).toEqual([
      ...["model.blocks.0.attention.norm", "model.blocks.0.attention", "model.blocks.0.mlp.norm"],
    ]);
  });
});
