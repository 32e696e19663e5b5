import { describe, expect, it } from "vitest";
import { trace } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { type Bytes, KINDS, type MemoryKind, owned, total } from "../../src/model/memory";
import { Structure } from "../../src/model/structure";
import type { AnyRecord } from "../../src/protocol";

const history = (name: string, step = 0): History => {
  const made = new History();
  made.append(trace(name).filter((r) => (r.step ?? 0) === step));
  return made;
};

const of = (bytes: Bytes, kind: MemoryKind): number => bytes[KINDS.indexOf(kind)]!;
const told = (bytes: Bytes): Record<string, number> =>
  Object.fromEntries(KINDS.map((kind, i) => [kind, bytes[i]!] as const).filter(([, size]) => size > 0));

describe("memory", () => {
  it("is a parameter, its gradient, and the results that variables hold", () => {
    const { memory, meter } = history("expression");
    expect(meter.peak).toBe(Math.max(...memory.map(total)));
    expect(told(memory[0]!)).toEqual({ parameters: 4, activations: 4 });
    expect(told(memory.at(-1)!)).toEqual({ parameters: 4, gradients: 4, activations: 8, temporary: 20 });
  });

  it("of saved activations is let go when backward has gone by", () => {
    const { memory, meter } = history("learning", 2);
    expect(of(meter.greatest, "saved")).toBe(Math.max(...memory.map((m) => of(m, "saved"))));
    expect(of(meter.greatest, "saved")).toBeGreaterThan(0);
    expect(of(memory.at(-1)!, "saved")).toBe(0);
  });

  it("of parameters and of an optimiser is there all the time", () => {
    const { meter } = history("images", 1);
    expect(of(meter.least!, "parameters")).toBe(4264);
    expect(of(meter.least!, "optimizer")).toBe(2 * 4264);
    expect(of(meter.least!, "saved")).toBe(0);
  });

  it("is not that of another step, from which the run’s sources come", () => {
    const made = new History();
    made.append([
      { t: 0, step: 0, seq: 1, type: "source", file: "a.py", text: "", memory: { inputs: 128 } },
      { t: 9, step: 7, seq: 90, type: "step_taken" },
    ]);
    expect([made.meter.peak, ...made.memory.map(told)]).toEqual([0, {}]);
  });

  it("shows what came and went between two events, so that no peak is missed", () => {
    const at = { t: 0, step: 0, type: "output", stream: "stdout", text: "" } as const;
    const made = new History();
    made.append([
      { ...at, seq: 1, memory: { inputs: 100, temporary: 50 } },
      { ...at, seq: 2, memory: { inputs: 100 } },
      { t: 0, step: 0, seq: 3, type: "step_taken" },
      { t: 0, step: 0, seq: 4, type: "step_taken" },
    ]);
    expect(made.memory.map(told)).toEqual([{ inputs: 100, temporary: 50 }, { inputs: 100 }]);
    expect(made.meter.peak).toBe(150);
  });

  it("is unknown where a recording does not tell of it", () => {
    const made = new History();
    made.append([{ t: 0, seq: 1, type: "step_taken" }]);
    expect([made.meter.peak, made.meter.least]).toEqual([0, null]);
  });

  it("has owners whose bytes come to what the strip says, at every event", () => {
    for (const [name, step] of [
      ["images", 1],
      ["learning", 2],
      ["curvature", 0],
      ["expression", 0],
    ] as const) {
      const made = history(name, step);
      const graph = new Structure();
      graph.append(made.records);
      for (let at = 1; at <= made.length; at++) {
        const kept = owned(made.at(at), graph.tensors);
        expect(kept.reduce((sum, one) => sum + one.size, 0)).toBe(of(made.memory[at - 1]!, "saved"));
      }
    }
  });

  it("of a view that is kept is all that the view looks into, and said to be", () => {
    const tensor = { shape: [4], dtype: "float32", version: 0 };
    const at = { t: 0, step: 0 };
    const records: AnyRecord[] = [
      { ...at, ...tensor, seq: 1, type: "tensor", id: 1, bytes: 4000, leaf: false },
      { ...at, ...tensor, seq: 2, type: "tensor", id: 2, bytes: 16, base: 1, leaf: false },
      { ...at, seq: 3, type: "node", id: 1, op: "Exp", inputs: [{ name: "x", tensor: 2 }], outputs: [] },
      { ...at, seq: 4, type: "saved", node: 1, saved: [{ name: "x", tensor: 2, version: 0, bytes: 16 }] },
    ];
    const made = new History();
    made.append(records);
    const graph = new Structure();
    graph.append(records);
    expect(owned(made.at(made.length), graph.tensors)).toEqual([{ size: 4000, keepers: [1], part: true }]);
  });
});
