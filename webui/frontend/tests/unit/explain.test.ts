/** The paragraph about a selection holds its own numbers, and only what the records prove. */
import { describe, expect, it } from "vitest";
import { brokenRun, mlpRun, scalarRun } from "../../fixtures/runs";
import { recordedTraces, trace } from "../../fixtures/traces";
import { explain, explainModule } from "../../src/model/explain";
import { History } from "../../src/model/history";
import type { State } from "../../src/model/state";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord, Value } from "../../src/protocol";

function played(records: readonly AnyRecord[]): { graph: Structure; state: State; history: History } {
  const [history, graph] = [new History(), new Structure()];
  history.append(records);
  graph.append(records);
  return { graph, history, state: history.at(history.length) };
}

function one(x: number): Value {
  const bytes = new Uint8Array(new Float32Array([x]).buffer);
  return { kind: "full", rows: 1, cols: 1, data: btoa(String.fromCharCode(...bytes)), norm: Math.abs(x) };
}

const numbered = (drafts: object[]): AnyRecord[] =>
  drafts.map((draft, i) => ({ seq: i + 1, t: i / 1000, step: 0, ...draft })) as AnyRecord[];

const facts = (id: number, name: string, more = {}): object => ({
  ...{ type: "tensor", id, name, shape: [], dtype: "float32", version: 0, leaf: true, requires_grad: true, ...more },
});
const uses = [2, 3, 4, 5].map((id) => ({
  ...{ type: "node", id, op: "Mul", inputs: [{ name: "a", tensor: 1 }] },
  outputs: [{ id: id + 100, shape: [], dtype: "float32", version: 0 }],
}));
const four = [
  facts(1, "w", { parameter: true }),
  ...uses,
  { type: "backward_started", run: 1, roots: [{ node: 5 }] },
  ...[-0.01, -0.001, -0.0012, -0.0005].map((x, i) => ({
    ...{ type: "grad_accumulated", run: 1, leaf: 1, from_node: i + 2, count: i + 1 },
    ...{ contribution: one(x), total: one([-0.01, -0.011, -0.0122, -0.0127][i]!) },
  })),
];
const wrote = (code: string): object => ({
  ...{ type: "mutated", tensor: 1, version: 0, grad: true, value: one(-0.0087) },
  at: { file: "a.py", line: 7, function: "f", code },
});

describe("a leaf in words", () => {
  it("is how often it is used, what its gradients add to, and what clipping left", () => {
    const { graph, state } = played(numbered([...four, wrote("nn.utils.clip_grad_norm_(net.parameters(), 1)")]));
    expect(explain(graph, state, graph.leafKey(1))).toBe(
      "w, a parameter, is used 4 times; the four gradients add to −0.01270. Clipping made it −0.008700.",
    );
  });

  it("names the line that changed the gradient where that is no clipping", () => {
    const { graph, state } = played(numbered([...four, wrote("w.grad *= 0.685")]));
    expect(explain(graph, state, graph.leafKey(1))).toContain("Line 7 made it −0.008700.");
  });

  it("says what an earlier backward had left, and why there is none", () => {
    const { graph, state } = played(scalarRun());
    const key = [...graph.leaves.keys()].map(graph.leafKey)[0]!;
    expect(explain(graph, state, key)).toMatch(/^a, a leaf, is used 3 times; the three gradients add to /);
    const data = played(numbered([facts(1, "x", { requires_grad: false }), uses[0]!]));
    expect(explain(data.graph, data.state, data.graph.leafKey(1))).toBe(
      "x, data, is used once. It does not require a gradient. Make it with requires_grad=True if you want one.",
    );
  });

  it("says how far the optimiser moved it", () => {
    const { graph, state } = played(mlpRun("xor", 1).filter((r) => (r.step ?? 0) === 0));
    const key = [...graph.leaves.keys()].filter((id) => graph.tensors.get(id)!.parameter).map(graph.leafKey)[0]!;
    expect(explain(graph, state, key)).toMatch(/SGD moved it by [\d.]+ % of its norm\.$/);
  });
});

describe("an op in words", () => {
  it("is what it made, the gradient that arrived, what it sent on, and one consequence", () => {
    const { graph, state } = played(scalarRun());
    const add = [...graph.nodes.values()].find((n) => n.op === "Add")!;
    const text = explain(graph, state, graph.opKey(add.id))!;
    expect(text).toContain("made b, 0.75");
    expect(text).toContain("It sent ");
    expect(text).toMatch(/If b grows by 0.01, loss changes by about [\d.]+\.$/);
  });

  it("says where what is not finite began, and how it came to others", () => {
    const { graph, state } = played(brokenRun());
    const [log, mean] = [...graph.nodes.values()];
    const told = explain(graph, state, graph.opKey(log!.id));
    expect(told).toContain("made p, 2×2 with 2 elements that are NaN or infinite.");
    expect(told).toContain("It sent a gradient with 1 element that is NaN or infinite to x.");
    expect(told).toContain("the logarithm of −1 is not a real number.");
    expect(explain(graph, state, graph.opKey(mean!.id))).toContain("They were already in p.");
  });

  it("goes by the op that made its input where nothing is known of the tensor", () => {
    const { graph, state } = played(
      numbered([
        facts(1, "x"),
        { type: "node", id: 7, op: "Sub", inputs: [{ name: "a", tensor: 1 }], outputs: [] },
        { type: "node", id: 8, op: "Sqrt", inputs: [{ name: "x", tensor: 2591, node: 7, output: 0 }], outputs: [] },
        { type: "backward_started", run: 1, roots: [{ node: 8 }] },
        { type: "node_entered", run: 1, node: 8, grads: [one(1)] },
        { type: "grad_computed", run: 1, node: 8, index: 0, to_node: 7, value: one(0.5) },
      ]),
    );
    expect(explain(graph, state, graph.opKey(8))).toMatch(/It sent 0\.5000 to Sub #1/);
  });

  it("tells no consequence for a backward that its gradient is not of", () => {
    const { graph, state } = played(trace("curvature").filter((r) => (r.step ?? 0) === 0));
    const [cube] = [...graph.nodes.values()];
    expect(explain(graph, state, graph.opKey(cube!.id))).toBe(
      "Pow #1, x ** 3, made y, 8. The gradient that arrived is 1. It sent 12 to x.",
    );
  });

  it("that has not run yet says so", () => {
    const { graph, history } = played(scalarRun());
    const tanh = [...graph.nodes.values()].find((n) => n.op === "Tanh")!;
    expect(explain(graph, history.at(0), graph.opKey(tanh.id))).toMatch(/has not run yet\.$/);
  });
});

describe("in every recorded program, at every kind of moment", () => {
  const runs = [...recordedTraces(), scalarRun(), brokenRun(), mlpRun("xor", 2)];
  it.each(runs.map((records, i) => [i, records] as const))(
    "program %i has whole and short paragraphs",
    (_, records) => {
      const step = records.filter((r) => (r.step ?? 0) === 0);
      const { graph, history } = played(step);
      const modules = [...visibleGraph(graph, new Map()).modules.values()].filter((m) => m.parent !== null);
      for (const share of [0.3, 0.7, 1]) {
        const state = history.at(Math.round(share * history.length));
        const keys = [...[...graph.nodes.keys()].map(graph.opKey), ...[...graph.leaves.keys()].map(graph.leafKey)];
        const texts = [
          ...keys.map((key) => explain(graph, state, key)!),
          ...modules.map((m) => explainModule(graph, state, m)),
        ];
        for (const text of texts) {
          expect(text).toMatch(/[.!?]$/);
          expect(text).not.toMatch(/undefined|null|NaN of|\.\./);
          expect(text.split(" ").length).toBeLessThanOrEqual(75);
        }
      }
    },
  );
});
