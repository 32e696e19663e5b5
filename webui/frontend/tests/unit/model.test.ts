import { describe, expect, it } from "vitest";
import { mlpRun, scalarRun, transformerRun } from "../../fixtures/runs";
import { Tape } from "../../fixtures/tape";
import { cardOf } from "../../src/model/card";
import { bindingsAt, linesOf, productTerms } from "../../src/model/evaluate";
import { bytes, cell, expression, number, usesInWords } from "../../src/model/format";
import { counted, grouped } from "../../src/language/text";
import { type Binding, type Bindings, coloured, substituted } from "../../src/model/formula";
import { cpuMs } from "./timing";
import { History } from "../../src/model/history";
import { mosaic } from "../../src/model/mosaic";
import { overModule } from "../../src/model/playback";
import { search } from "../../src/model/search";
import { Structure } from "../../src/model/structure";
import { aimOf, cameraAt } from "../../src/camera/camera";
import { EMPTY_VIEW, readHash, writeHash } from "../../src/model/url";
import { elementAt, encode, grid } from "../../src/model/values";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";

function load(records: AnyRecord[], step = 0) {
  const history = new History();
  const graph = new Structure();
  const mine = records.filter((r) => (r.step ?? 0) === step);
  history.append(mine);
  graph.append(mine);
  const node = (op: string) => [...graph.nodes.values()].find((n) => n.op === op)!;
  return { history, graph, end: history.at(history.length), node };
}

/** Without the colours. */
const plain = (latex: string): string =>
  latex
    .replace(/\{?\\htmlClass\{k-\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}\}?/g, "$1")
    .replace(/\s+/g, " ")
    .trim();

describe("a formula with numbers in it", () => {
  const at = { row: 0, col: 0 };

  it("is the sum that was computed, for tanh", () => {
    const { end, node } = load(scalarRun());
    const [forward, backward] = linesOf(node("Tanh"), end, at);
    expect(plain(forward!.numeric!)).toBe("0.6351 = \\tanh 0.7500");
    expect(plain(backward!.numeric!)).toBe("0.5966 = 1\\cdot (1 - \\left(0.6351\\right)^2)");
  });

  it("uses the chosen element of a matrix", () => {
    const { end, node } = load(mlpRun("m", 1));
    const tanh = node("Tanh");
    const element = { row: 1, col: 2 };
    const y = bindingsAt(tanh, end, element).get("y")!.number;
    expect(y).toBe(elementAt(end.tensors.get(tanh.outputs[0]!.id)!.value, element));
    const gradient = linesOf(tanh, end, element)[1]!.numeric!;
    expect(plain(gradient)).toContain(number(y).replace("−", "-"));
  });

  it("waits while the gradient has not arrived", () => {
    const { history, node } = load(scalarRun());
    const early = linesOf(node("Tanh"), history.at(6), at)[1]!;
    expect(early.numeric).toBeNull();
    expect(early.why).toContain("not yet");
  });

  it("writes negative numbers in brackets where a sign stands before them", () => {
    const bindings = new Map([
      ["a", { number: 2, meaning: "value" as const }],
      ["b", { number: -3, meaning: "value" as const }],
    ]);
    expect(plain(substituted("a - b", bindings)!)).toBe("2 - \\left(-3\\right)");
    expect(plain(substituted("a b", bindings)!)).toBe("2 \\cdot \\left(-3\\right)");
    expect(substituted("a - c", bindings)).toBeNull();
    expect(coloured("a - c", bindings)).toBe("{\\htmlClass{k-value}{a}} - c");
  });

  it("reads the formulas of the real ops", () => {
    const value = (number: number): Binding => ({ number, meaning: "value" });
    const bindings: Bindings = new Map([
      ["x", value(0.5)],
      ["y", value(2)],
      ["p", value(3)],
      ["alpha", value(0.1)],
      ["\\bar y", { number: -1, meaning: "gradient" }],
    ]);
    const put = (latex: string): string => plain(substituted(latex, bindings)!);
    expect(put("p\\, \\bar y \\odot x^{p - 1}")).toBe(
      "3\\, \\cdot \\left(-1\\right)\\cdot \\left(0.5000\\right)^{3 - 1}",
    );
    expect(put("\\bar y \\text{ where } y > 0, \\text{ else } 0")).toBe("-1\\text{ where } 2 > 0, \\text{ else } 0");
    expect(put("\\bar y \\oslash (2 y)")).toBe("-1/ (2 \\cdot 2)");
    expect(put("\\bar y \\odot e^{-x^2}")).toContain("e^{");
    expect(put("\\alpha\\, \\bar y")).toBe("0.1000\\, \\cdot \\left(-1\\right)");
    expect(substituted("\\bar y \\odot t", bindings)).toBeNull();
  });

  it("writes no second left side where a formula has its own", () => {
    const { end, node } = load(mlpRun("m", 1));
    const own = { ...node("Tanh"), formula: "y_k = x_{i_k}", gradients: { x: "\\bar x_i = \\sum_k \\bar y_k" } };
    const [forward, backward] = linesOf(own, end, at);
    expect(plain(forward!.symbolic).split("=")).toHaveLength(2);
    expect(plain(backward!.symbolic).split("=")).toHaveLength(2);
  });

  it("spells out the terms of a matrix product", () => {
    const { end, node } = load(mlpRun("m", 1));
    const product = node("MatMul");
    const spelt = productTerms(product, end, { row: 3, col: 5 })!;
    expect(spelt.terms).toHaveLength(2);
    expect(spelt.sum).toBeCloseTo(elementAt(end.tensors.get(product.outputs[0]!.id)!.value, { row: 3, col: 5 })!, 5);
  });
});

describe("the address bar", () => {
  it("holds the whole view and gives it back", () => {
    const view = {
      ...EMPTY_VIEW,
      run: "xor 1/2",
      step: 12,
      at: 345,
      selected: "n3",
      element: { row: 1, col: 2 },
      folds: new Map([
        ["m/net/0", false],
        ["m/net/blocks.1", true],
        ["m/a+b (2)", true],
      ]),
      aim: { x: -12.25, y: 340.5, zoom: 0.8125 },
      query: "grad_norm>1",
      wide: true,
      tree: true,
      theme: "dark" as const,
    };
    expect(readHash(writeHash(view))).toEqual(view);
  });

  it("says nothing about what is as it always is, and survives nonsense", () => {
    expect(writeHash(EMPTY_VIEW)).toBe("");
    expect(readHash("#step=-1&at=x&el=1&theme=pink&cam=1,2,zero")).toEqual(EMPTY_VIEW);
    expect(readHash("#cam=1,,1").aim).toBeNull();
    expect(readHash("#cam=1,2,-1").aim).toBeNull();
  });

  it("writes a camera so that looking there writes the same again, in a window of any size", () => {
    const size = { width: 1013, height: 677 };
    const aim = aimOf({ x: 1 / 3, y: -1000 / 7, zoom: 0.0723456789 }, size);
    const link = writeHash({ ...EMPTY_VIEW, aim });
    for (const window of [size, { width: 390, height: 844 }]) {
      const again = aimOf(cameraAt(readHash(link).aim!, window), window);
      expect(writeHash({ ...EMPTY_VIEW, aim: again })).toBe(link);
    }
  });
});

describe("search", () => {
  const { graph, end } = load(mlpRun("m", 1));
  const keys = (query: string): string[] => {
    const found = search(query, graph, end);
    return Array.isArray(found) ? found.map((f) => f.label) : [found.problem];
  };

  it("finds by op, name, shape and module", () => {
    expect(keys("tanh")).toContain("Tanh #3");
    expect(keys("0.weight")).toEqual(["0.weight"]);
    expect(keys("4x8 op:add")).toEqual(["Add #2"]);
    expect(keys("module:linear op:matmul")).toHaveLength(2);
  });

  it("finds by a condition on numbers", () => {
    expect(keys("grad_norm>0")).toContain("0.weight");
    expect(keys("grad_norm>1000")).toEqual([]);
    expect(keys("nan")).toEqual([]);
  });

  it("says what is wrong with a condition", () => {
    expect(keys("loudness>1")[0]).toContain("no number called loudness");
    expect(keys("norm>x")[0]).toContain("a number is missing");
  });

  it("takes a fraction of a second at 10,000 nodes", () => {
    const big = load(transformerRun("t", 260));
    expect(2 * big.graph.nodes.size).toBeGreaterThan(10_000);
    const times = [1, 2, 3, 4, 5].map(() => cpuMs(() => search("grad_norm>0.5 module:mlp", big.graph, big.end)));
    expect(Math.min(...times)).toBeLessThan(250);
  }, 30_000);
});

describe("stepping", () => {
  it("steps over a module", () => {
    const { history, graph } = load(mlpRun("m", 1));
    const after = overModule(history, graph, 1, 1);
    const record = history.event(after)!;
    expect(record.type).toBe("node");
    expect(record.type === "node" && record.op).toBe("Tanh");
    expect(overModule(history, graph, history.length, 1)).toBe(history.length);
  });
});

describe("a card", () => {
  it("counts contributions and shows what is still to come", () => {
    const { history, graph, end } = load(scalarRun());
    const visible = visibleGraph(graph, new Map());
    const leaf = visible.items.get("t1")!;
    expect(cardOf(leaf, graph, visible, history.at(1))).toMatchObject({
      title: "a",
      arrived: 0,
      expected: 3,
      note: "None yet",
    });
    expect(cardOf(leaf, graph, visible, end)).toMatchObject({ arrived: 3, expected: 3 });
    const tanh = cardOf(visible.items.get("n3")!, graph, visible, end);
    expect(tanh.pins).toEqual([{ label: "out", released: true }]);
    expect(cardOf(visible.items.get("n3")!, graph, visible, history.at(1)).phase).toBe("absent");
  });

  it("of a module shows its result, and not a number that the module makes beside it", () => {
    const tape = new Tape("experts.py", "y = layer(x)", { id: "experts", name: "experts.py" });
    const x = tape.tensor(tape.random(4, 3), { name: "x", shape: [4, 3], requires: true });
    const [y, aside] = tape.inside("layer:Experts", () => {
      const y = tape.op("Tanh", [x], "y = layer(x)");
      return [y, tape.op("Mean", [tape.op("Square", [y], "y = layer(x)")], "y = layer(x)")];
    });
    const z = tape.op("Tanh", [y], "y = layer(x)");
    tape.op("Add", [tape.op("Mean", [z], "y = layer(x)"), aside], "y = layer(x)");
    const { graph, end } = load(tape.records);
    const layer = [...visibleGraph(graph, new Map()).modules.values()].find((m) => m.parent !== null)!;
    const folded = visibleGraph(graph, new Map([[layer.key, true]]));
    expect(cardOf(folded.items.get(layer.key)!, graph, folded, end).shape).toBe("4×3");
  });

  it("says how the user wrote the op", () => {
    const { graph, node } = load(mlpRun("m", 1));
    expect(expression(node("MatMul"), graph.nameOf)).toBe("x @ 0.weight");
    expect(expression(node("Sub"), graph.nameOf)).toBe("out − y");
  });
});

describe("an object without nn.Module that is called twice", () => {
  const tape = new Tape("net.py", "y = w * x\nloss = a + b\n", { id: "net", name: "net.py" });
  const number = (name: string, requires: boolean) => tape.tensor(tape.random(1, 1), { name, requires, shape: [] });
  const [w, x] = [number("net.layers.0.w[0]", true), number("x", false)];
  const call = (name: string) => {
    tape.scope = [name, "layers.0:Layer"];
    return tape.op("Mul", [w, x], "y = w * x");
  };
  const [a, b] = [call("net:Net"), call("net (2):Net")];
  tape.scope = [];
  tape.op("Add", [a, b], "loss = a + b", "loss");
  const { graph, end } = load(tape.records);
  const open = ["m/net", "m/net (2)", "m/net/layers.0", "m/net (2)/layers.0"].map((key) => [key, false] as const);
  const visible = visibleGraph(graph, new Map(open));

  it("has what it keeps inside its first call, and no line leads from there to the second", () => {
    const leaf = visible.items.get(graph.leafKey(w.id))!;
    expect(leaf.frame).toBe("m/net/layers.0");
    expect(visible.edges.filter(({ from }) => from === leaf.key).map(({ to }) => to)).toEqual(["n1"]);
  });

  it("needs no path in the names of what it keeps", () => {
    const title = (key: string) => cardOf(visible.items.get(key)!, graph, visible, end);
    expect(title(graph.leafKey(w.id)).title).toBe("w[0]");
    expect(title("n1").detail).toBe("w[0] × x");
  });
});

describe("a mosaic", () => {
  it("puts the last two axes into panels and finds every element again", () => {
    const m = mosaic([2, 4, 3, 3], 24, 3);
    expect(m.rows * m.cols).toBeGreaterThanOrEqual(72);
    const places = new Set<string>();
    for (let row = 0; row < 24; row++)
      for (let col = 0; col < 3; col++) {
        const { x, y } = m.place({ row, col });
        places.add(`${x} ${y}`);
        expect(m.at(x, y)).toEqual({ row, col });
      }
    expect(places.size).toBe(72);
    expect(mosaic([4, 8], 4, 8)).toMatchObject({ rows: 4, cols: 8 });
  });
});

describe("numbers", () => {
  it("that count are grouped by the thousand, and name what they count", () => {
    expect([0, 7, 999, 1000, 13446, 1234567].map(grouped)).toEqual(["0", "7", "999", "1,000", "13,446", "1,234,567"]);
    expect([counted(1, "{n} op", "{n} ops"), counted(46105, "{n} record", "{n} records")]).toEqual([
      "1 op",
      "46,105 records",
    ]);
  });

  it("are short and honest", () => {
    expect([0.38427, -1.2e-7, 12345, 0, NaN, -Infinity, 1].map((x) => number(x))).toEqual([
      "0.3843",
      "−1.20e−7",
      "12345",
      "0",
      "NaN",
      "−∞",
      "1",
    ]);
    expect([0.384, -41.25, 1234, NaN].map(cell)).toEqual(["0.38", "−41.3", "1e3", "NaN"]);
    expect([100, 2048, 5 * 2 ** 20].map(bytes)).toEqual(["100 B", "2.0 KiB", "5.0 MiB"]);
  });

  it("of uses whose gradients have come are said in full", () => {
    expect(usesInWords(1, 3, true)).toBe("from 1 of its 3 uses");
    expect(usesInWords(1, 3, false)).toBe("from 1 of its 3 uses so far");
    expect(usesInWords(3, 3, true)).toBe("from all 3 of its uses");
    expect(usesInWords(1, 1, true)).toBe("");
  });

  it("come through the wire unchanged", () => {
    const data = new Float32Array([1, -2.5, NaN, Infinity]);
    expect(grid({ kind: "full", rows: 2, cols: 2, data: encode(data) })!.data).toEqual(data);
    expect(grid({ kind: "full", rows: 2, cols: 3, data: encode(data) })).toBeNull();
  });
});
