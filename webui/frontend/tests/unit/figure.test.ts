import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formula } from "../../src/lesson/figure/expression";
import { place } from "../../src/lesson/figure/layers";
import { partsOf } from "../../src/lesson/figure/play.svelte";
import { context, curve, parseProgram, run, told } from "../../src/lesson/figure/program";
import { graphIn, orderIn, pairs, rowsOf, taken, walk, working } from "../../src/lesson/figure/verdict";

const LESSONS = new URL("../../../../lessons/", import.meta.url);
const figures = readdirSync(LESSONS)
  .filter((file) => /^\d\d-.*\.py$/.test(file))
  .map((file): [string, string] => {
    const text = readFileSync(new URL(file, LESSONS), "utf-8").replace(/^# ?/gm, "");
    return [file, partsOf(text).find((part) => part.kind === "figure")!.text];
  });

describe("a formula", () => {
  const FORMULAS = ["a * b - a", "a / b + 2", "-a ** 2", "tanh(a * b)", "exp(a) / (1 + exp(a))", "log(a * a + 1) * sqrt(b)",
    "sigmoid(a - b)", "2 * (a + b) ** 3", "sin(a) - -cos(b)", "relu(a) + abs(b)", "1e-3 * a - .5"]; // prettier-ignore

  test.each(FORMULAS)("%s moves as its slopes say", (text) => {
    const read = formula(text);
    const at = { a: 1.3, b: 0.7 };
    for (const name of ["a", "b"] as const) {
      const pushed = (by: number): number => read({ ...at, [name]: at[name] + by }).value;
      expect(read(at).slopes[name] ?? 0).toBeCloseTo((pushed(1e-5) - pushed(-1e-5)) / 2e-5, 6);
    }
  });
  test.each(["a +", "(a", "a b", "sine(a)", "a + ?", ")"])("%s is none", (text) => {
    expect(() => formula(text)({ a: 1, b: 1 })).toThrow();
  });
  test("a minus before a power is of the power", () => {
    expect(formula("-a ** 2")({ a: 3 }).value).toBe(-9);
  });
});

describe.each(figures)("the figure of %s", (_, text) => {
  const program = parseProgram(text);
  const inputs = Object.fromEntries(program.inputs.map((each) => [each.name, each.start]));

  test("its slope is what trying says, and its bars are numbers", () => {
    const names = context(program, inputs);
    expect(Number.isFinite(names.slope)).toBe(true);
    for (const bar of program.bars) expect(bar.formula(names).value).not.toBeNaN();
    if (program.lines.some((line) => line.text.includes("10 **"))) return; // its curve is made of rounding
    const fine = { ...inputs, [program.inputs[0]!.name]: inputs[program.inputs[0]!.name]! + 1e-6 };
    const rise = run(program, fine).at(-1)!.value - run(program, inputs).at(-1)!.value;
    expect(names.slope).toBeCloseTo(rise / 1e-6, 2);
  });
  test("what values send back adds up to their gradients, and tangents arrive at the same slope", () => {
    const nodes = run(program, inputs);
    for (const node of nodes.slice(0, -1))
      expect(node.sent.reduce((sum, each) => sum + each.amount, 0)).toBeCloseTo(node.grad, 9);
    expect(nodes.at(-1)!.tangent).toBeCloseTo(nodes[0]!.grad, 6);
  });
  test("its curve has numbers, and no two boxes lie over each other", () => {
    expect(curve(program, inputs).filter((point) => Number.isFinite(point[1])).length).toBeGreaterThan(100);
    const { boxes, box } = place(run(program, inputs), 200);
    const spots = [...boxes.values()];
    for (const one of spots)
      for (const other of spots)
        if (one !== other)
          expect(Math.abs(one.x - other.x) >= box.width || Math.abs(one.y - other.y) >= box.height).toBe(true);
  });
});

test("every lesson opens with a figure", () => expect(figures).toHaveLength(16));

test.each([
  [0.12345, "0.123"], [-2, "−2"], [1e-5, "1.0e−5"], [NaN, "NaN"], [Infinity, "∞"], [123.456, "123.5"], [-0.0001, "−1.0e−4"],
])("%s is told as %s", (value, text) => expect(told(value)).toBe(text)); // prettier-ignore

describe("a verdict as a picture", () => {
  const MESSAGE =
    "not yet: the sign\n  called     mul_backward(2.0, 10.0, 1.0)\n  expected   (10.0, 2.0)\n  came back  (10.0, -2.0)\n                    ^^^^";

  test("its rows are read, with what is indented below them", () => {
    const { words, rows } = rowsOf(MESSAGE);
    expect(words).toBe("not yet: the sign");
    expect(rows.map((row) => row[0])).toEqual(["called", "expected", "came back"]);
  });
  test("what came back stands beside what was expected, place by place", () => {
    const rows = Object.fromEntries(rowsOf(MESSAGE).rows) as Record<string, string>;
    expect(pairs(rows["came back"]!, rows.expected!)).toEqual([
      { place: "[0]", found: "10.0", wanted: "10.0", same: true },
      { place: "[1]", found: "-2.0", wanted: "2.0", same: false },
    ]);
  });
  test("tensors, named tuples and dictionaries are taken apart", () => {
    expect(pairs("tensor([1.0, 2.0])", "tensor([1.0, 3.0])").map((pair) => pair.same)).toEqual([true, false]);
    expect(pairs("Dual(value=1.0, tangent=2.0)", "Dual(value=1.0, tangent=4.0)")[1]).toMatchObject({
      place: ".tangent",
    });
    expect(pairs("{'a': 1}", "{'a': 2}")[0]).toEqual({ place: ".a", found: "1", wanted: "2", same: false });
    expect(pairs("None", "(1.0, 2.0)")).toEqual([{ place: "", found: "None", wanted: "(1.0, 2.0)", same: false }]);
    expect(taken("['a, b', 'c']").inner!.map((piece) => piece.text)).toEqual(["'a, b'", "'c'"]);
  });
  test("a value too early in an order loses what comes later", () => {
    const steps = graphIn("the names in `topological_order` of the last value of d = a + b, c = a + d");
    expect(steps.map((step) => step.name)).toEqual(["a", "b", "d", "c"]);
    const order = orderIn("['c', 'a', 'd', 'b']", steps)!;
    const early = walk(steps, order, 4);
    expect([...early.early]).toEqual(["a"]);
    expect(early.sent.filter((each) => each.late)).toEqual([{ from: "d", to: "a", late: true }]);
    const right = walk(steps, working(steps), 4);
    expect(right.early.size).toBe(0);
    expect(right.grads.get("a")).toBe(2);
    expect(orderIn("['c', 'x']", steps)).toBeNull();
  });
});
