/** The colours of the picture: the numbers, the ramp, and the words for both. */
import { describe, expect, it } from "vitest";
import { trace } from "../../fixtures/traces";
import { brokenRun, mlpRun } from "../../fixtures/runs";
import { cardOf, opsIn } from "../../src/model/card";
import { History } from "../../src/model/history";
import {
  markOf,
  METRICS,
  type Metric,
  ofItem,
  ofLeaf,
  ofOp,
  ofOps,
  ofWires,
  type Range,
  rangeOf,
  said,
  shareOf,
  summary,
  ticksOf,
  tickText,
  widthOf,
} from "../../src/model/overlay";
import { gradientAt, type State } from "../../src/model/state";
import { Structure } from "../../src/model/structure";
import { EMPTY_VIEW, readHash, writeHash } from "../../src/model/url";
import { norm } from "../../src/model/values";
import { visibleGraph, type Visible } from "../../src/model/visible";
import type { AnyRecord, Value } from "../../src/protocol";

function pictureOf(records: AnyRecord[]): { graph: Structure; history: History; visible: Visible; state: State } {
  const [graph, history] = [new Structure(), new History()];
  graph.append(records);
  history.append(records);
  return { graph, history, visible: visibleGraph(graph, new Map()), state: history.at(history.length) };
}

const stepOf = (records: AnyRecord[], step: number): AnyRecord[] =>
  records.filter((r) => (r.step ?? 0) === step || r.type === "source" || r.type === "run_started");

const learning = pictureOf(stepOf(trace("learning"), 1));

describe("a number of a box", () => {
  it("is no norm where an element is no number", () => {
    expect(norm({ kind: "stats", norm: 0, nan: 3 } as Value)).toBeNaN();
  });

  it("is the norm of the gradient that arrived, of an op and of a leaf", () => {
    const { graph, state } = learning;
    for (const [id, node] of graph.nodes) {
      const expected = norm(gradientAt(state, id));
      if (node.outputs.length === 1) expect(ofOp("gradient", id, graph, state)).toEqual(expected);
    }
    for (const id of graph.leaves.keys())
      expect(ofLeaf("gradient", id, graph, state)).toEqual(norm(state.tensors.get(id)!.grad));
  });

  it("is how far the optimiser moved a weight; an op tells its weights’", () => {
    const { graph, state } = learning;
    const weights = [...graph.leaves.keys()].filter((id) => graph.tensors.get(id)!.parameter);
    expect(weights.length).toBeGreaterThan(0);
    for (const id of weights) {
      const [before, after] = [graph.tensors.get(id)!.value!, state.tensors.get(id)!.value!];
      const ratio = ofLeaf("update", id, graph, state)!;
      expect(ratio).toBeGreaterThan(0);
      expect(Math.abs(norm(before)! - norm(after)!)).toBeLessThanOrEqual(ratio * norm(before)! * 1.0001);
      const user = graph.leaves.get(id)![0]!.node;
      expect(ofOp("update", user, graph, state)).toBeGreaterThanOrEqual(ratio);
    }
  });

  it("is what an op gives, and a view has no memory of its own", () => {
    const { graph, state } = learning;
    for (const [id, { outputs }] of graph.nodes)
      expect(ofOp("bytes", id, graph, state)).toBe(outputs[0]!.base == null ? outputs[0]!.bytes : 0);
  });

  it("is its time, from the record before to its own, and that of its backward", () => {
    const { graph, history, state } = learning;
    const of = (type: string, node: number): AnyRecord[] =>
      history.records.filter((r) => r.type === type && (r as { node?: number }).node === node);
    for (const id of graph.nodes.keys()) {
      const at = history.records.findIndex((r) => r.type === "node" && r.id === id);
      const forward = history.records[at]!.t - history.records[at - 1]!.t;
      const [start, end] = [of("node_entered", id).at(-1), of("grad_computed", id).at(-1)];
      const back = start && end ? end.t - start.t : 0;
      expect(ofOp("time", id, graph, state)).toBeCloseTo(forward + back, 9);
    }
  });

  it("is how many elements are not finite; a gradient with a NaN is beyond the ramp", () => {
    const { graph, visible, state } = pictureOf(brokenRun());
    const [log] = [...graph.nodes.values()];
    expect(ofOp("nonfinite", log!.id, graph, state)).toBeGreaterThanOrEqual(2);
    const range = rangeOf("nonfinite", graph, visible, state);
    expect(range.broken).toBeGreaterThan(0);
    expect(markOf(NaN, range)).toMatchObject({ broken: true, share: null, text: "NaN" });
    expect(markOf(0, range)).toMatchObject({ share: null, text: "finite" });
  });

  it("is none before it was there: the box is plain", () => {
    const { graph, history, visible } = learning;
    const first = history.at(1);
    const [id] = [...graph.nodes.keys()];
    expect(ofOp("gradient", id!, graph, first)).toBeNull();
    const range = rangeOf("gradient", graph, visible, history.at(history.length));
    expect(markOf(null, range)).toEqual({ share: null, vanished: false, broken: false, text: "" });
  });

  it("of a fold is the largest of gradients, and the sum of bytes and times", () => {
    const { graph, state } = learning;
    const ops = [...graph.nodes.keys()];
    const each = (metric: Metric): number[] => ops.flatMap((id) => ofOp(metric, id, graph, state) ?? []);
    expect(ofOps("gradient", ops, graph, state)).toBe(Math.max(...each("gradient")));
    for (const metric of ["bytes", "time"] as const)
      expect(ofOps(metric, ops, graph, state)).toBeCloseTo(
        each(metric).reduce((a, b) => a + b),
        9,
      );
  });

  it("of a folded module in the picture is that of all its ops", () => {
    const { graph, visible, state } = learning;
    const module = [...visible.modules.values()].find((m) => m.parent !== null && m.size > 1)!;
    const folded = visibleGraph(graph, new Map([[module.key, true]]));
    const item = folded.items.get(module.key)!;
    expect(cardOf(item, graph, folded, state).kind).toBe("module");
    const ops = opsIn(folded.modules.get(module.key)!);
    for (const metric of METRICS)
      expect(ofItem(metric, item, graph, folded, state)).toEqual(ofOps(metric, ops, graph, state));
  });
});

describe("a number of a line", () => {
  it("is the gradient that ran along it, else the bytes of the tensor", () => {
    const { graph, visible, state } = learning;
    const edge = visible.edges.find((e) => e.grad)!;
    const [key, index] = edge.wires[0]!.split(".");
    const node = graph.nodeOfKey(key!)!;
    const sent = state.nodes.get(node)!.sent.get(Number(index))!;
    expect(ofWires("gradient", "backward", [edge.wires[0]!], graph, state)).toBe(norm(sent.value));
    expect(ofWires("gradient", "forward", edge.wires, graph, state)).toBeNull();
    expect(ofWires("bytes", "forward", edge.wires, graph, state)).toBeGreaterThan(0);
    expect(ofWires("time", "forward", edge.wires, graph, state)).toBeNull();
  });

  it("makes it 1 to 8 pixels wide", () => {
    expect([null, 0, 0.5, 1].map(widthOf)).toEqual([1, 1, 4.5, 8]);
  });
});

const range = (low: number, high: number, metric: Metric = "gradient"): Range => ({
  ...{ metric, base: 10, low, high, least: 10 ** low, most: 10 ** high },
  ...{ taken: 2, missing: 0, vanished: 0, broken: 0 },
});

describe("the ramp", () => {
  it("is logarithmic, from the least power of ten of the step to the greatest", () => {
    expect([1e-8, 1e-4, 1].map((x) => shareOf(x, range(-8, 0))?.toFixed(9))).toEqual([
      "0.000000000",
      "0.500000000",
      "1.000000000",
    ]);
    expect([0, 1e-20, 1e9].map((x) => shareOf(x, range(-8, 0)))).toEqual([0, 0, 1]);
    expect([null, NaN].map((x) => shareOf(x, range(-8, 0)))).toEqual([null, null]);
  });

  it("has four numbers", () => {
    expect(ticksOf(range(-8, 1)).map(({ amount }) => Math.log10(amount))).toEqual([-8, -5, -2, 1]);
    expect(ticksOf(range(-1, 0)).map(({ share }) => share.toFixed(3))).toEqual(["0.000", "0.333", "0.667", "1.000"]);
  });

  it("is the same at every moment of a step", () => {
    const { graph, history, visible } = learning;
    const now = rangeOf("gradient", graph, visible, history.at(history.length));
    expect(now.low).toBeLessThan(now.high);
    expect(10 ** now.low).toBeLessThanOrEqual(now.least!);
    expect(10 ** now.high).toBeGreaterThanOrEqual(now.most!);
  });

  it("holds the sums of folds too", () => {
    for (const metric of ["bytes", "time"] as const) {
      const { graph, visible, state } = learning;
      const found = rangeOf(metric, graph, visible, state);
      for (const module of visible.modules.values())
        if (module.parent)
          expect(ofOps(metric, opsIn(module), graph, state)).toBeLessThanOrEqual(found.base ** found.high);
    }
  });

  it("ends in dashes: below a millionth a gradient has vanished", () => {
    expect(markOf(3.7e-8, range(-8, 0))).toMatchObject({ vanished: true, text: "3.7e−8" });
    expect(markOf(1e-6, range(-8, 0)).vanished).toBe(false);
    expect(markOf(2e-7, range(-8, 0, "time"))).toMatchObject({ vanished: false, text: "0.20 µs" });
  });
});

describe("words", () => {
  it("have units", () => {
    expect(said("bytes", 2048)).toBe("2.0 KiB");
    expect([2e-5, 0.0123, 2.5].map((t) => said("time", t))).toEqual(["20 µs", "12.3 ms", "2.50 s"]);
    expect([said("nonfinite", 2822), said("gradient", null)]).toEqual(["2,822", ""]);
  });

  it("write round numbers at the ramp", () => {
    expect([1e-11, 0.001, 0.01, 1, 100, 0.0464].map((x) => tickText("gradient", x))).toEqual([
      ...["1e−11", "0.001", "0.01", "1", "100", "0.046"],
    ]);
  });

  it("say the range, what vanished, and what was not taken", () => {
    expect(summary({ ...range(-8, 0), taken: 40, vanished: 11, missing: 3 })).toBe(
      "gradient norm: 1.0e−8 to 1, 11 of 40 vanished, 3 not recorded",
    );
    const bare = pictureOf(stepOf(mlpRun("xor", 2), 0).filter((r) => r.type !== "step_taken" && r.type !== "mutated"));
    expect(summary(rangeOf("update", bare.graph, bare.visible, bare.state))).toBe(
      "update to weight: no number was recorded in this step",
    );
  });

  it("are kept in the address", () => {
    for (const overlay of METRICS) expect(readHash(writeHash({ ...EMPTY_VIEW, overlay })).overlay).toBe(overlay);
    expect(readHash("#by=colour").overlay).toBeNull();
    expect(writeHash(EMPTY_VIEW)).toBe("");
  });
});
