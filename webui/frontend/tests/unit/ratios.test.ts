/** Two steps compared by one number for each op and leaf. */
import { describe, expect, it } from "vitest";
import { History } from "../../src/model/history";
import { keepChanges, ofLeaf, ofOp, said } from "../../src/model/overlay";
import { foldsOf, ratiosOf, timesSaid } from "../../src/model/ratios";
import { Structure } from "../../src/model/structure";
import type { AnyRecord, Value } from "../../src/protocol";

const value = (norm: number | null, nan = 0): Value => ({ kind: "stats", rows: 0, cols: 0, norm, nan, inf: 0 });

/** `w * x`, where the gradient of w has this norm, and the product that one. */
function side(product: Value, gradient: number): { graph: Structure; state: ReturnType<History["at"]> } {
  const facts = { dtype: "float32", device: "cpu", strides: [], bytes: 4, version: 0 };
  const leaf = { ...facts, id: 1, name: "w", shape: [2], leaf: true, requires_grad: true, value: value(3) };
  const made = { ...facts, id: 2, name: "y", shape: [2], leaf: false, requires_grad: true, value: product };
  const at = { t: 0, step: 0 };
  const records = [
    { ...at, seq: 1, type: "tensor", ...leaf },
    { ...at, seq: 2, type: "node", id: 1, op: "Neg", inputs: [{ name: "x", tensor: 1 }], outputs: [made] },
    { ...at, seq: 3, type: "backward_started", run: 1, roots: [{ node: 1, output: 0, value: value(1) }] },
    { ...at, seq: 4, type: "grad_accumulated", run: 1, leaf: 1, count: 1, total: value(gradient) },
  ] as unknown as AnyRecord[];
  const [history, graph] = [new History(), new Structure()];
  history.append(records);
  graph.append(records);
  return { graph, state: history.at(history.length) };
}

describe("two steps by one number", () => {
  it("are told apart by how many times as large it is, the largest change first", () => {
    const [here, there] = [side(value(8), 0.02), side(value(2), 2)];
    const byValue = ratiosOf("value", here, there);
    expect(byValue.changed.map((one) => [one.label, one.times])).toEqual([["Neg #1", 4]]);
    expect(byValue.alike, "w is as it was").toBe(1);
    const [first] = ratiosOf("gradient", here, there).changed;
    expect([first!.label, first!.here, first!.there, timesSaid(first!)]).toEqual(["w", 0.02, 2, "÷100"]);
  });

  it("without a difference have none", () => {
    const { changed, alike } = ratiosOf("value", side(value(2), 1), side(value(2), 1));
    expect([changed, alike]).toEqual([[], 2]);
  });

  it("say what is no number, what came from nothing, and what was not taken", () => {
    const lost = ratiosOf("gradient", side(value(1), 1), side(value(1), 0)).changed;
    expect(lost.map(timesSaid)).toEqual(["from 0"]);
    const [broken, finite] = [side(value(null, 1), 1), side(value(1), 1)];
    expect(ratiosOf("value", broken, finite).changed.map(timesSaid)).toEqual(["NaN"]);
    expect(ratiosOf("value", broken, broken).changed, "NaN then and now").toEqual([]);
    const untaken = side(null as unknown as Value, 1);
    expect(ratiosOf("value", untaken, finite).missing).toBe(1);
    expect(timesSaid({ key: "", label: "", here: 1e-9, there: 1, times: 1e-9 })).toBe("÷1e9");
  });
});

describe("the colours of two steps", () => {
  it("tell how many times as large or as small each is; what is alike is plain", () => {
    const [here, there] = [side(value(2), 0.02), side(value(2), 2)];
    keepChanges(here.graph, foldsOf(ratiosOf("gradient", here, there)));
    expect(ofLeaf("change", 1, here.graph, here.state)).toBeCloseTo(100);
    expect(ofOp("change", 1, here.graph, here.state)).toBeNull();
    keepChanges(here.graph, foldsOf(ratiosOf("value", here, there)));
    expect(ofLeaf("change", 1, here.graph, here.state), "by another number").toBeNull();
    expect(said("change", 100)).toBe("100-fold");
  });
});
