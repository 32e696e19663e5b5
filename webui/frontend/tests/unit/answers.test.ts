import { describe, expect, it } from "vitest";
import { mlpRun, scalarRun } from "../../fixtures/runs";
import { Tape } from "../../fixtures/tape";
import { recordedTraces, trace } from "../../fixtures/traces";
import { compose } from "../../src/layout/compose";
import { solveLinear } from "../../src/layout/linear";
import { compare } from "../../src/model/compare";
import { linesOf } from "../../src/model/evaluate";
import { History } from "../../src/model/history";
import { gradientPath } from "../../src/model/path";
import { staleSaves } from "../../src/model/stale";
import { NO_WISH } from "../../src/model/modules";
import { Structure } from "../../src/model/structure";
import { scalar } from "../../src/model/values";
import { covers, visibleGraph } from "../../src/model/visible";
import { whyNone } from "../../src/model/why";
import type { AnyRecord } from "../../src/protocol";

function load(records: AnyRecord[], step = 0) {
  const [history, graph] = [new History(), new Structure()];
  const mine = records.filter((r) => (r.step ?? 0) === step || r.type === "source");
  history.append(mine);
  graph.append(mine);
  return { history, graph, end: history.at(history.length) };
}

describe("the gradient's way", () => {
  it("runs from the loss to a parameter and touches nothing else", () => {
    const { graph, end } = load(mlpRun("m", 1));
    const way = gradientPath(graph, end, graph.leafKey([...graph.leaves.keys()][3]!))!;
    expect([...way].sort()).toEqual(["n4", "n5", "n6", "n7", "n8", "t4"]);
  });
});

describe("a gradient that autograd.grad returns", () => {
  const returned = scalarRun().map((r): AnyRecord => {
    if (r.type === "backward_started") return { ...r, captures: true };
    return r.type === "grad_accumulated" && r.leaf != null ? { ...r, total: null } : r;
  });

  it("is no .grad, and the answer to why says where it went", () => {
    const { graph, end } = load(returned);
    const leaf = [...graph.leaves.keys()].find((id) => end.tensors.get(id)!.arrived.length > 0)!;
    expect(end.tensors.get(leaf)!.arrived.every((c) => c.returned)).toBe(true);
    expect(end.tensors.get(leaf)!.grad).toBeNull();
    expect(whyNone(graph, end, graph.leafKey(leaf))!.words).toContain("autograd.grad returned its gradient");
  });
});

describe("why .grad is None", () => {
  it("names one cause for every case", () => {
    const { history, graph, end } = load(mlpRun("m", 1));
    const ask = (key: string, at = end) => whyNone(graph, at, key)?.words ?? "";
    expect(ask("t1")).toContain("does not require a gradient");
    expect(ask("t2")).toBe("");
    expect(ask("t2", history.at(3))).toContain("No backward has started");
    expect(ask("t2", history.at(20))).toContain("Not yet");
    expect(ask("n3")).toContain("not a leaf");
  });

  it("lists the nodes that backward must run first at every moment, and none that has run, nor the op itself", () => {
    const { history, graph } = load(mlpRun("m", 1));
    const items = [...graph.nodes.keys()].map(graph.opKey).concat([...graph.leaves.keys()].map(graph.leafKey));
    let listed = 0;
    for (let event = 1; event <= history.length; event += 1) {
      const state = history.at(event);
      for (const key of items) {
        const why = whyNone(graph, state, key);
        if (!why?.words.includes("must run these nodes first")) continue;
        listed += 1;
        expect(why.see).not.toEqual([]);
        expect(why.see).not.toContain(key);
        expect(why.see.filter((each) => state.nodes.get(graph.nodeOfKey(each)!)!.entered)).toEqual([]);
      }
    }
    expect(listed).toBeGreaterThan(20);
  });
});

describe("comparing", () => {
  const side = (records: AnyRecord[], step: number) => {
    const { graph, end } = load(records, step);
    return { graph, state: end };
  };

  it("finds nothing between identical runs", () => {
    expect(compare(side(mlpRun("a", 2), 1), side(mlpRun("b", 2), 1))).toEqual([]);
  });

  it("finds the numbers that differ between two steps, and only those", () => {
    const records = mlpRun("m", 2);
    const found = compare(side(records, 0), side(records, 1));
    expect(found.every((d) => d.kind === "numbers")).toBe(true);
    expect(found.map((d) => d.key)).not.toContain("t1");
    expect(found.map((d) => d.label)).toContain("0.weight");
  });

  it("names ops that only one side has", () => {
    const found = compare(side(mlpRun("m", 1), 0), side(scalarRun(), 0));
    expect(found.some((d) => d.kind === "only here")).toBe(true);
    expect(found.some((d) => d.kind === "another op")).toBe(true);
  });
});

describe("a stale save", () => {
  it("names who saved, who changed, and both lines", () => {
    const { graph, end } = load(trace("stale"));
    const [stale, ...rest] = staleSaves(end);
    expect(rest).toEqual([]);
    expect(graph.label(stale!.node)).toBe("Mul #2");
    expect([stale!.saved, stale!.now]).toEqual([0, 1]);
    expect(stale!.change!.at!.line).toBe(8);
    expect(graph.placeOf(stale!.node)!.line).toBe(7);
  });
});

describe("a real trace", () => {
  for (const records of recordedTraces()) {
    const first = records[0]!;
    const name = first.type === "run_started" ? first.name : "";
    it(`of ${name} can be folded, laid out and read`, () => {
      const { history, graph, end } = load(records);
      expect(history.length).toBeGreaterThan(5);
      const visible = visibleGraph(graph, new Map());
      expect(compose(visible, solveLinear).boxes.size).toBeGreaterThanOrEqual(visible.items.size);
      for (const node of graph.nodes.values()) expect(linesOf(node, end, { row: 0, col: 0 })).toBeDefined();
    });
  }

  it("gives Python's numbers: a.grad after two backwards", () => {
    const { end } = load(trace("expression"));
    const slope = (2 * 0.5 + 1) * (1 - Math.tanh(0.75) ** 2);
    expect(scalar(end.tensors.get(1)!.grad)).toBeCloseTo(2 * slope, 6);
  });

  it("keeps the graph of a gradient in a lane of its own, and the third derivative of x³ is 6", () => {
    const { graph, end } = load(trace("curvature"));
    expect(scalar(end.tensors.get(1)!.grad)).toBe(6);
    const visible = visibleGraph(graph, new Map());
    expect([...visible.modules.keys()]).toEqual(expect.arrayContaining(["m/∇1", "m/∇2"]));
    const { boxes } = compose(visible, solveLinear);
    const right = boxes.get("n1")!.x + boxes.get("n1")!.w;
    expect(boxes.get("m/∇1")!.x).toBeGreaterThan(right);
    expect(boxes.get("m/∇2")!.x).toBeGreaterThan(boxes.get("m/∇1")!.x);
  });

  it("moves nothing when the graph of a gradient grows", () => {
    const records = trace("curvature");
    const early = compose(visibleGraph(load(records.filter((r) => r.seq < 6)).graph, new Map()), solveLinear);
    const late = compose(visibleGraph(load(records).graph, new Map()), solveLinear);
    expect(late.boxes.get("n1")!.y).toBe(early.boxes.get("n1")!.y);
  });

  it("of the fixtures' toy autograd says the same as the real one", () => {
    const [toy, real] = [load(scalarRun()), load(trace("expression"))];
    expect(scalar(toy.end.tensors.get(1)!.grad)).toBeCloseTo(scalar(real.end.tensors.get(1)!.grad)!, 5);
    expect([...toy.graph.nodes.values()].map((n) => n.op)).toEqual([...real.graph.nodes.values()].map((n) => n.op));
  });
});

describe("ops outside of the graph", () => {
  it("stand together, folded, where there are many", () => {
    const { graph } = load(aside(5));
    const visible = visibleGraph(graph, new Map());
    expect(visible.modules.get("m/no gradient")).toMatchObject({ folded: true, size: 5 });
    expect(visibleGraph(load(aside(2)).graph, new Map()).modules.has("m/no gradient")).toBe(false);
  });

  it("are drawn one by one where one of them is in trouble", () => {
    const { graph } = load(aside(5));
    const focus = [...graph.nodes.keys()][1]!;
    const drawn = (alarm: boolean) =>
      visibleGraph(graph, new Map(), null, { ...NO_WISH, focus, deep: true, lens: true, alarm });
    expect(drawn(false).items.has(graph.opKey(focus))).toBe(false);
    expect(drawn(true).items.has(graph.opKey(focus))).toBe(true);
  });

  it("stand together from the first one on where they did so in the step before", () => {
    const records = aside(5);
    const whole = visibleGraph(load(records).graph, new Map());
    for (let n = records.findIndex(({ type }) => type === "node") + 1; n <= records.length; n++)
      expect(covers(whole, visibleGraph(load(records.slice(0, n)).graph, new Map(), whole)), `${n}`).toBe(true);
  });
});

/** A batch prepared by `count` ops without a gradient, then one op with. */
function aside(count: number): AnyRecord[] {
  const tape = new Tape("batch.py", "x = x + x\ny = w * x\n", { id: "aside", name: "batch.py" });
  let x = tape.tensor(tape.random(2, 2), { name: "x" });
  for (let i = 0; i < count; i++) x = tape.op("Add", [x, x], "x = x + x");
  tape.op("Mul", [tape.tensor(tape.random(2, 2), { name: "w", requires: true }), x], "y = w");
  return tape.records;
}
