import { describe, expect, it } from "vitest";
import { trace } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { owned, total } from "../../src/model/memory";
import { Structure } from "../../src/model/structure";
import type { AnyRecord } from "../../src/protocol";

const history = (name: string, step = 0): History => {
  const made = new History();
  made.append(trace(name).filter((r) => (r.step ?? 0) === step));
  return made;
};

describe("memory", () => {
  it("is a parameter, its gradient and what is saved", () => {
    const { memory, memoryPeak } = history("expression");
    expect(memoryPeak).toBe(12);
    expect(memory.at(-1)).toEqual([4, 4, 0]);
  });

  it("of saved tensors is let go when backward has gone by", () => {
    const { memory } = history("learning", 2);
    expect(Math.max(...memory.map((m) => m[2]))).toBeGreaterThan(0);
    expect(memory.at(-1)![2]).toBe(0);
    expect(Math.max(...memory.map(total))).toBe(history("learning", 2).memoryPeak);
  });

  it("has owners whose bytes come to what the strip says, at every event", () => {
    for (const [name, step] of [
      ["images", 1],
      ["learning", 2],
      ["curvature", 0],
    ] as const) {
      const made = history(name, step);
      const graph = new Structure();
      graph.append(made.records);
      for (let at = 1; at <= made.length; at++) {
        const kept = owned(made.at(at), graph.tensors);
        expect(kept.reduce((sum, one) => sum + one.size, 0)).toBe(made.memory[at - 1]![2]);
      }
    }
  });

  it("of a view that is kept is all that the view looks into, and said to be", () => {
    const tensor = { shape: [4], dtype: "float32", version: 0 };
    const at = { t: 0, step: 0 };
    const records: AnyRecord[] = [
      { ...at, ...tensor, seq: 1, type: "tensor", id: 1, bytes: 4000 },
      { ...at, ...tensor, seq: 2, type: "tensor", id: 2, bytes: 16, base: 1 },
      { ...at, seq: 3, type: "node", id: 1, op: "Exp", inputs: [{ name: "x", tensor: 2 }], outputs: [] },
      { ...at, seq: 4, type: "saved", node: 1, saved: [{ name: "x", tensor: 2, version: 0, bytes: 16 }] },
    ];
    const made = new History();
    made.append(records);
    const graph = new Structure();
    graph.append(records);
    expect(made.memory.at(-1)).toEqual([0, 0, 4000]);
    expect(owned(made.at(made.length), graph.tensors)).toEqual([{ size: 4000, keepers: [1], part: true }]);
  });
});
