/** The gradients and losses of Python are those told: hooks and clipping, NaN, the op that failed. */
import { describe, expect, it } from "vitest";
import { cardOf, expectedAtLeaf } from "../../src/model/card";
import { compare, hasNumbers } from "../../src/model/compare";
import { linesOf } from "../../src/model/evaluate";
import { hookDid, sentence, titleOf } from "../../src/model/events";
import { expression, lossOf, number } from "../../src/model/format";
import { History } from "../../src/model/history";
import { gradientPath } from "../../src/model/path";
import { staleSaves } from "../../src/model/stale";
import { addedToOld, comeOf, type State } from "../../src/model/state";
import { Structure } from "../../src/model/structure";
import { brokenAt, scalar } from "../../src/model/values";
import { visibleGraph } from "../../src/model/visible";
import { whyNone } from "../../src/model/why";
import type { AnyRecord, HookRan, NodeRecord, Value } from "../../src/protocol";

function one(x: number): Value {
  const bytes = new Uint8Array(new Float32Array([x]).buffer);
  return { kind: "full", rows: 1, cols: 1, data: btoa(String.fromCharCode(...bytes)), norm: Math.abs(x) };
}

const tensor = (id: number, name: string, more = {}) => ({
  type: "tensor",
  ...{ id, name, shape: [], dtype: "float32", version: 0, leaf: true, requires_grad: true },
  ...more,
});
const node = (id: number, op: string, inputs: object[], more = {}) => ({
  type: "node",
  ...{ id, op, inputs, outputs: [{ id: id + 100, shape: [], dtype: "float32", version: 0 }] },
  ...more,
});

function play(drafts: object[]): { state: State; graph: Structure } {
  const records = drafts.map((draft, i) => ({ seq: i + 1, t: i / 1000, step: 0, ...draft })) as AnyRecord[];
  const [history, graph] = [new History(), new Structure()];
  history.append(records);
  graph.append(records);
  return { state: history.at(history.length), graph };
}

describe("a leaf's gradient", () => {
  const before = [
    tensor(1, "w"),
    node(2, "Mul", [{ name: "a", tensor: 1 }]),
    { type: "backward_started", run: 1, roots: [{ node: 2 }] },
    { type: "grad_accumulated", run: 1, leaf: 1, from_node: 2, contribution: one(3), total: one(3) },
  ];

  it("is what a hook left, which is no contribution", () => {
    const replaced = { type: "grad_accumulated", run: 1, leaf: 1, replaces: true, contribution: one(1), total: one(1) };
    const { arrived, grad } = play([...before, replaced]).state.tensors.get(1)!;
    expect(scalar(grad)).toBe(1);
    expect(comeOf(arrived)).toBe(1);
    expect(arrived.map((c) => c.replaces)).toEqual([false, true]);
  });

  it("is what clipping left, and the leaf itself is as it was", () => {
    const clipped = { type: "mutated", tensor: 1, version: 0, grad: true, value: one(0.5) };
    const { state, graph } = play([...before, clipped]);
    const w = state.tensors.get(1)!;
    expect([scalar(w.grad), w.version, w.mutations.length, w.rewritten.length]).toEqual([0.5, 0, 0, 1]);
    expect(sentence({ seq: 9, t: 0, ...clipped } as AnyRecord, graph)).toBe("w.grad is changed in place");
  });
});

describe("a loss", () => {
  it("that is NaN is not the last one that was a number", () => {
    expect([lossOf({ loss: 2 }), lossOf({ loss: null }), lossOf(null)]).toEqual([2, null, null]);
    expect(number(lossOf({ loss: null, not_finite: "nan" }))).toBe("NaN");
    expect(number(lossOf({ loss: null, not_finite: "-inf" }))).toBe("−∞");
  });
});

describe("a backward that failed", () => {
  const records = [
    tensor(1, "x"),
    node(2, "Sigmoid", [{ name: "x", tensor: 1 }]),
    node(3, "Mul", [{ name: "a", tensor: 102, node: 2 }]),
    node(4, "Exp", [{ name: "x", tensor: 103, node: 3 }]),
    ...[2, 3].map((id) => ({ type: "saved", node: id, saved: [{ name: "out", tensor: 102, version: 0, bytes: 4 }] })),
    { type: "mutated", tensor: 102, version: 1 },
  ];

  it("names the op that failed before others whose save is stale", () => {
    const failed = [
      { type: "backward_started", run: 1, roots: [{ node: 4 }] },
      { type: "node_entered", run: 1, node: 3, grads: [] },
      { type: "backward_finished", run: 1, nodes: 2, error: "StaleTensorError" },
    ];
    expect(staleSaves(play(records).state).map((s) => s.node)).toEqual([3, 2]);
    expect(staleSaves(play([...records, ...failed]).state)[0]!.node).toBe(3);
    expect(titleOf({ seq: 1, t: 0, ...failed[2] } as unknown as AnyRecord)).toBe("Backward failed");
  });

  it("is not feared of what a backward has used already, nor where none of its nodes was recorded, nor after the step", () => {
    const began = { type: "backward_started", run: 1, roots: [{ node: 4 }] };
    const entered = [4, 3].map((each) => ({ type: "node_entered", run: 1, node: each, grads: [] }));
    const ended = { type: "backward_finished", run: 1, nodes: 2 };
    const [before, change] = [records.slice(0, -1), records.slice(-1)];
    expect(staleSaves(play([...before, began, ...entered, ended, ...change]).state).map((s) => s.node)).toEqual([2]);
    expect(staleSaves(play([...before, began, ended, ...change]).state)).toEqual([]);
    const over = { type: "step_taken", optimizer: "Adam", loss: 1 };
    expect(staleSaves(play([...before, began, ...entered, ended, ...change, over]).state)).toEqual([]);
  });
});

describe("what is said of an op", () => {
  it("keeps the order in which it is written: 1 − p", () => {
    const inputs = [
      { name: "a", tensor: 1 },
      { name: "b", constant: "1" },
    ];
    const rsub = node(2, "Rsub", inputs, { symbol: "-", formula: "b - a" }) as unknown as NodeRecord;
    expect(expression(rsub, () => "p")).toBe("1 − p");
    expect(expression({ ...rsub, op: "Sub", formula: "a - b" }, () => "p")).toBe("p − 1");
  });

  it("is infix in place too, and an index is one", () => {
    const names = [null, "h", "k"];
    const nameOf = (id: number): string | null => names[id] ?? null;
    const op = (symbol: string, ...tensors: number[]) =>
      expression(
        node(
          2,
          "Op",
          tensors.map((id) => ({ name: "x", tensor: id })),
          { symbol },
        ) as unknown as NodeRecord,
        nameOf,
      );
    expect([op("+=", 1, 2), op("*", 1, 2), op("*=", 1, 2), op("**", 1, 2)]).toEqual([
      "h += k",
      "h × k",
      "h ×= k",
      "h ** k",
    ]);
    expect([op("-=", 1, 2), op("==", 1, 2)]).toEqual(["h −= k", "h == k"]);
    expect([op("[]", 1), op("[]", 1, 2), op("[]", 0)]).toEqual(["h[…]", "h[…]", "[]"]);
  });

  it("has each equation of a joint gradient once", () => {
    const joint = "\\bar x = \\bar y w,\\; g = 1,\\; \\bar w = \\bar y x";
    const names = ["x", "weight", "bias"];
    const gradients = Object.fromEntries(names.map((name) => [name, joint]));
    const norm = node(
      2,
      "Norm",
      names.map((name) => ({ name })),
      { formula: "x w", gradients },
    );
    const { state } = play([norm]);
    const lines = linesOf(norm as unknown as NodeRecord, state, { row: 0, col: 0 });
    expect(lines).toHaveLength(3);
    expect(lines[1]!.symbolic).toContain("g = 1");
  });

  it("says a rule in words once, for all inputs that it holds of", () => {
    const names = ["x", "weight", "w_ih", "h"];
    const gradients = Object.fromEntries(names.map((name) => [name, "\\text{backward through time, see Back}"]));
    const layer = node(
      2,
      "Layer",
      names.map((name) => ({ name })),
      { formula: "c_t = f_t c_{t-1}", gradients },
    );
    const { state } = play([layer]);
    const [forward, words, ...rest] = linesOf(layer as unknown as NodeRecord, state, { row: 0, col: 0 });
    expect(forward!.symbolic).not.toContain("y");
    expect([words!.why, words!.symbolic.match(/bar [a-z]/g)]).toEqual([
      "backward through time, see Back",
      ["bar x", "bar w", "bar h"],
    ]);
    expect(rest).toEqual([]);
  });

  it("says of each kind of hook what it did", () => {
    const hook = (kind: string, changed = true): string => hookDid({ kind, changed } as HookRan);
    expect(hook("tensor")).toBe("replaced the gradient");
    expect(hook("unpack")).not.toContain("gradient");
    expect(hook("tensor", false)).toBe("");
  });
});

describe("a forgotten zero_grad", () => {
  const step = (old: object) => [
    tensor(1, "w", old),
    node(2, "Mul", [{ name: "a", tensor: 1 }]),
    { type: "backward_started", run: 1, roots: [{ node: 2 }] },
  ];
  const arrives = (total: number) => ({
    type: "grad_accumulated",
    ...{ run: 1, leaf: 1, from_node: 2, contribution: one(3), total: one(total) },
  });
  const flagged = (drafts: object[]): boolean => addedToOld(play(drafts).state.tensors.get(1)!);

  it("is known by what was added to; a cleared gradient is not", () => {
    expect(flagged([...step({ grad: one(2) }), arrives(5)])).toBe(true);
    expect(flagged([...step({ grad: one(2) }), arrives(3)])).toBe(false);
    expect(flagged([...step({}), arrives(3), arrives(6)])).toBe(false);
    expect(flagged(step({ grad: one(2) }))).toBe(false);
  });
});

describe("what never came", () => {
  it("is not “not yet” once the step is over", () => {
    const drafts = [
      tensor(1, "w"),
      tensor(9, null as never),
      tensor(10, "ema"), // nothing that can have a gradient uses it
      node(
        2,
        "Mul",
        [1, 9].map((t) => ({ name: "a", tensor: t })),
      ),
      { ...node(3, "Neg", [{ name: "a", tensor: 10 }]), recorded: false },
    ];
    const cards = (more: object[]) => {
      const { state, graph } = play([...drafts, ...more]);
      const visible = visibleGraph(graph, new Map());
      return ["n1", "t1", "t2", "t3"].map((key) => cardOf(visible.items.get(key)!, graph, visible, state));
    };
    expect(cards([]).map((card) => card.note)).toEqual(["not yet", "None yet", "None yet", "None yet"]);
    const over = cards([{ type: "step_taken" }]);
    expect(over.map((card) => card.note)).toEqual(["no gradient", "None", "None", "None"]);
    const unseen = [
      { type: "backward_started", run: 1, roots: [] },
      { type: "backward_finished", run: 1 },
    ];
    const told = [...unseen, { type: "step_taken" }];
    for (const more of [told, [{ type: "step_taken", grad_norm: 1.5 }]]) {
      expect(cards(more).map((card) => card.note)).toEqual(["not recorded", "not recorded", "not recorded", "None"]);
      const { state, graph } = play([...drafts, ...more]);
      expect(["t1", "n1"].map((key) => whyNone(graph, state, key))).toEqual([null, null]);
    } // gradients came, of which nothing was recorded
    expect(over[2]!.title).toBe("tensor 2"); // as its panel calls it
  });
});

describe("a leaf", () => {
  it("is called as the class calls it that holds it", () => {
    const held = ["self.w", "neuron.w"].map((name, i) => tensor(i + 1, name));
    const inputs = [1, 2].map((t) => ({ name: "a", tensor: t }));
    const { state, graph } = play([...held, node(3, "Mul", inputs)]);
    const visible = visibleGraph(graph, new Map());
    const titles = ["t1", "t2"].map((key) => cardOf(visible.items.get(key)!, graph, visible, state).title);
    expect(titles).toEqual(["w", "neuron.w"]);
  });
});

describe("an element that is no number", () => {
  it("is found, a NaN before an infinity", () => {
    const value = (...numbers: number[]): Value => {
      const bytes = new Uint8Array(new Float32Array(numbers).buffer);
      return { kind: "full", rows: 2, cols: 2, data: btoa(String.fromCharCode(...bytes)) };
    };
    expect(brokenAt(value(1, Infinity, NaN, 2))).toEqual({ row: 1, col: 0 });
    expect(brokenAt(value(1, 2, 3, -Infinity))).toEqual({ row: 1, col: 1 });
    expect(brokenAt(value(1, 2, 3, 4))).toBeNull();
  });
});

describe("a buffer", () => {
  it("lives in its module, as a parameter does; a variable's data comes from outside", () => {
    const scope = ["net:Net", "bn:BatchNorm1d"];
    const data = { requires_grad: false };
    const used = [1, 2].map((t) => ({ name: "x", tensor: t }));
    const { graph } = play([
      tensor(1, "bn.running_mean", data),
      tensor(2, "batch", data),
      { type: "scope_entered", path: scope.slice(0, 1) },
      { type: "scope_entered", path: scope },
      node(3, "Add", used, { scope }),
      { type: "scope_left", path: scope },
      { type: "scope_left", path: scope.slice(0, 1) },
    ]);
    const { items } = visibleGraph(graph, new Map());
    expect(items.get("t1")!.frame).toBe("m/net/bn");
    expect(items.get("t2")!.frame).toBe("m");
  });
});

describe("why .grad is None", () => {
  const at = (line: number, code: string) => ({ file: "a.py", line, function: "", code });
  const before = [tensor(1, "x"), node(2, "Mul", [{ name: "a", tensor: 1 }])];
  const cut = (result: number, line: number, code: string) => ({
    type: "detached",
    ...{ tensor: 102, result, at: at(line, code) },
  });
  const outside = (id: number) => tensor(id, "z", { requires_grad: false });
  const after = (id: number) => [
    node(5, "Exp", [
      { name: "x", tensor: id },
      { name: "y", tensor: 1 },
    ]),
    { type: "backward_started", run: 1, roots: [{ node: 5 }] },
  ];
  const ask = (records: object[], key = "n1") => {
    const { graph, state } = play(records);
    return whyNone(graph, state, key);
  };

  it("names the line that detaches, wherever it stands, and both ends", () => {
    const records = [...before, cut(9, 7, "h.detach()"), outside(9), ...after(9)];
    const words = "h.detach() in line 7 cuts it off from the graph.";
    expect(ask(records)).toEqual({ words, see: ["n1", "t2"] });
    expect(ask(records, "t2")).toEqual({ words, see: ["n1", "t2"] });
    const helper = { type: "source", file: "b.py", text: "" };
    expect(ask([{ ...helper, file: "a.py" }, helper, ...records])!.words).toContain("in line 7 of a.py cuts");
  });

  it("names the cut that leads to the loss before one that leads nowhere, and none that came after backward", () => {
    const nowhere = cut(8, 3, "h.data");
    expect(ask([...before, nowhere, cut(9, 7, "h.detach()"), outside(9), ...after(9)])!.words).toContain("line 7");
    expect(ask([...before, nowhere, ...after(9)])!.words).toContain("h.data in line 3");
    expect(ask([...before, ...after(9), nowhere])!.words).toContain("no later op in the graph uses it");
  });

  it("names the cut behind an op outside the graph", () => {
    const aside = node(4, "Sin", [{ name: "x", tensor: 9 }], { recorded: false });
    expect(ask([...before, cut(9, 7, "h.detach()"), outside(9), aside], "n2")!.words).toContain("h.detach() in line 7");
  });

  it("takes what has left the graph in place for a leaf from there on", () => {
    const records = [...before, cut(102, 7, "h.detach_()"), ...after(102)];
    const { graph } = play(records);
    expect([graph.wires.get(5)![0]!.from, graph.wires.get(5)![0]!.leaf]).toEqual([null, 102]);
    expect(ask(records)!.words).toBe("h.detach_() in line 7 cuts it off from the graph.");
    expect(ask(records, "t2")!.words).toBe("h.detach_() in line 7 cuts it off from the graph.");
  });
});

describe("the gradient's way", () => {
  it("starts where a gradient can come, and nowhere else", () => {
    const { graph, state } = play([
      tensor(1, "w"),
      tensor(2, "labels", { requires_grad: false }),
      tensor(3, "quiet"),
      node(
        4,
        "Mul",
        [1, 2].map((t) => ({ name: "a", tensor: t })),
      ),
      node(5, "Exp", [{ name: "x", tensor: 3 }], { recorded: false }),
      { type: "backward_started", run: 1, roots: [{ node: 4 }] },
    ]);
    const way = (key: string) => gradientPath(graph, state, key) && [...gradientPath(graph, state, key)!].sort();
    expect(way("t1")).toEqual(["n1", "t1"]);
    expect([way("t2"), way("t3"), way("n2")]).toEqual([null, null, null]);
  });
});

describe("the place of a leaf that one op uses", () => {
  const product = (...shapes: [number[], number[]]) => {
    const inputs = ["a", "b"].map((name, i) => ({ name, tensor: i + 1 }));
    const visible = visibleGraph(
      play([...shapes.map((shape, i) => tensor(i + 1, `w${i}`, { shape })), node(3, "Mul", inputs)]).graph,
      new Map(),
    );
    return ["t1", "t2"].map((key) => visible.items.get(key)!.host);
  };

  it("is above the op, as on paper, where an expression of numbers begins", () => {
    expect(product([], [])).toEqual([null, null]);
  });

  it("is beside it otherwise", () => {
    expect(product([2], [2])).toEqual(["n1", "n1"]);
    expect(product([2], [])).toEqual(["n1", "n1"]);
  });
});

describe("a parameter that an evaluation used too", () => {
  const enter = { type: "scope_entered", path: ["net:Net"] };
  const leave = { type: "scope_left", path: [] };
  const use = (id: number, recorded: boolean) => [
    enter,
    node(id, "Mul", [{ name: "a", tensor: 1 }], { scope: ["net:Net"], recorded }),
    leave,
  ];
  const weight = tensor(1, "net.weight", { shape: [3], parameter: true });
  const drawn = (...records: object[]) =>
    visibleGraph(play([weight, ...records]).graph, new Map(["m/net", "m/net (2)"].map((key) => [key, false])));

  it("stands where it is trained, and no line leads to where no gradient comes back from", () => {
    const visible = drawn(...use(2, false), ...use(3, true));
    expect(visible.items.get("t1")).toMatchObject({ frame: "m/net (2)", host: "n2" });
    expect(visible.edges.filter(({ from }) => from === "t1").map(({ to }) => to)).toEqual(["n2"]);
  });

  it("stands where it was used where nothing is trained", () => {
    expect(drawn(...use(2, false)).items.get("t1")).toMatchObject({ frame: "m/net", host: "n1" });
  });
});

describe("two steps", () => {
  const used = (grad: boolean, value: boolean) => {
    const w = tensor(1, "w", value ? { value: one(2) } : {});
    const out = { id: 102, shape: [], dtype: "float32", version: 0, ...(value ? { value: one(4) } : {}) };
    const back = [
      { type: "backward_started", run: 1, roots: [{ node: 2 }] },
      { type: "grad_accumulated", run: 1, leaf: 1, from_node: 2, contribution: one(3), total: one(3) },
    ];
    return play([w, node(2, "Mul", [{ name: "a", tensor: 1 }], { outputs: [out] }), ...(grad ? back : [])]);
  };

  it("differ where a gradient came to one of them only", () => {
    expect(compare(used(true, true), used(true, true))).toEqual([]);
    expect(compare(used(true, true), used(false, true))).toMatchObject([{ label: "w", value: 0, grad: 1 }]);
  });

  it("are not called equal where no numbers were taken", () => {
    expect(hasNumbers(used(true, true))).toBe(true);
    expect(hasNumbers(used(true, false))).toBe(false);
  });
});

describe("what a checkpoint runs again", () => {
  const block = (id: number, scope: string[], more = {}) =>
    node(id, "Tanh", [{ name: "x", tensor: 1 }], { scope, ...more });
  const enter = (path: string[]) => ({ type: "scope_entered", path });
  const leave = { type: "scope_left", path: [] };
  const again = (id: number, made_by: number, scope: string[]) => block(id, scope, { recomputed: true, made_by });
  const calls = [1, 2].flatMap((call) => [enter(["net:Block"]), block(10 + call, ["net:Block"]), leave]);

  it("stands in the call that it recomputes, by whatever name the module now goes", () => {
    const { graph } = play([
      tensor(1, "x"),
      ...calls,
      again(20, 11, ["1:Block", "up:Linear"]),
      again(21, 12, ["0:Block"]),
    ]);
    expect(graph.scopeOf(20)).toEqual(["net:Block", "recomputed:", "up:Linear"]);
    expect(graph.scopeOf(21)).toEqual(["net (2):Block", "recomputed:"]);
  });

  it("stands beside the op that asked for it where it is of no module", () => {
    const { graph } = play([tensor(1, "x"), block(2, []), again(20, 2, [])]);
    expect(graph.scopeOf(20)).toEqual(["recomputed:"]);
  });

  it("is no further use, unless the first run was not recorded", () => {
    const uses = (...records: object[]) =>
      expectedAtLeaf(play([{ ...tensor(1, "w"), requires_grad: true }, ...records]).graph, 1);
    const unrecorded = block(2, [], { recorded: false });
    expect(uses(block(2, []), again(20, 2, []))).toBe(1);
    expect(uses(unrecorded, again(20, 3, []))).toBe(1);
    expect(uses(unrecorded, block(3, []), again(20, 4, []))).toBe(2);
  });

  it("is not what its module gave", () => {
    const made = [again(20, 11, ["0:Block"])];
    const { graph, state } = play([tensor(1, "x"), ...calls, ...made]);
    const visible = visibleGraph(graph, new Map([["m/net", true]]));
    expect(cardOf(visible.items.get("m/net")!, graph, visible, state).progress!.total).toBe(1);
    const shown = visibleGraph(graph, new Map());
    expect(cardOf(shown.items.get("m/net/recomputed")!, graph, shown, state).note).toBe("for backward");
  });
});
