import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inBox, numbersOf, playedRule, reason, ruleIn, ruleOf } from "../../src/lesson/figure/rule";

const LESSONS = new URL("../../../../lessons/", import.meta.url);
const told = readdirSync(LESSONS)
  .filter((file) => /^\d\d-.*\.py$/.test(file))
  .flatMap((file) =>
    [
      ...readFileSync(new URL(file, LESSONS), "utf-8").matchAll(
        /^# %%.*tags=\["(\w+)"\] id="([^"]+)".* plays="(.*?)"/gm,
      ),
    ].map(([, tag, id, plays]): [string, string, string] => [`${file} ${id}`, tag!, plays!]),
  );

describe("the graphs that lessons tell", () => {
  test("there are many", () => expect(told.length).toBeGreaterThan(30));
  test.each(told)("%s", (_, tag, plays) => {
    const rule = ruleOf(plays)!;
    const names = new Set(rule.steps.map((each) => each.name));
    const parts = tag === "predict" ? [rule.asks!] : rule.gives.flatMap((each) => each.parts);
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) expect([...names]).toContain(part.name);
    for (const part of parts) expect(["value", "grad", "tangent"]).toContain(part.kind);
    if (rule.arrives) expect([...names]).toContain(rule.arrives.name);
    if (tag === "predict") expect(numbersOf(rule, {})).not.toBeNull();
  });
});

const TWO_WAYS = ruleOf("p = w * x; y = p - x; y.grad = grad; gives w.grad, x.grad")!;
const given = (w: string, x: string, grad: string): { name: string; text: string }[] => [
  { name: "w", text: w },
  { name: "x", text: x },
  { name: "grad", text: grad },
];
const play = (found: string, wanted: string, grad = "1.0") =>
  playedRule(TWO_WAYS, "two_ways(4.0, 5.0, 1.0)", given("4.0", "5.0", grad), found, wanted)!;

describe("a wrong answer says by its number why it is wrong", () => {
  test.each([
    ["(5.0, 4.0)", "(5.0, 3.0)", "1.0", 1, ["onlyFrom", { user: "p", other: "y", amount: "−1" }]],
    ["(5.0, -3.0)", "(5.0, 3.0)", "1.0", 1, ["sign", {}]],
    ["(3.0, 5.0)", "(5.0, 3.0)", "1.0", 0, ["swapped", { other: "x" }]],
    ["(5.0, 3.0)", "(10.0, 6.0)", "2.0", 0, ["notTimes", { argument: "grad", amount: "2" }]],
    ["(0.0, 3.0)", "(5.0, 3.0)", "1.0", 0, ["nothing", {}]],
  ] as const)("%s for %s, where %s arrives", (found, wanted, grad, at, why) => {
    const played = play(found, wanted, grad);
    expect(reason(played, played.parts[at]!)).toEqual(why);
  });
  test("a single number for two is wrong in each place", () => {
    expect(play("5.0", "(5.0, 3.0)").parts.map((part) => part.yours)).toEqual(["5.0", "5.0"]);
  });
  test("where all that is told is right, there is nothing to play", () => {
    expect(play("(a tensor, a tensor)", "(a tensor, a tensor)")).toBeNull();
  });
});

describe("a call that tells its own graph", () => {
  test("with gradients, from the end on", () => {
    const called = "the gradients of x and y after `backward(t)`, where p = x * y and t = p + x, at x = 2.0, y = 3.0";
    const rule = ruleIn(called, "(4.0, 2.0)")!;
    const played = playedRule(rule, called, [], "(3.0, 2.0)", "(4.0, 2.0)")!;
    expect(played.order).toEqual(["t", "p", "x", "y"]);
    expect(reason(played, played.parts[0]!)).toEqual(["onlyFrom", { user: "p", other: "t", amount: "1" }]);
  });
  test("with a count for each value", () => {
    const rule = ruleIn("`uses` of the last value of 'b = a + a, c = b + b'", "{'c': 0, 'b': 2, 'a': 2}")!;
    const played = playedRule(rule, "uses", [], "{'c': 0, 'b': 1, 'a': 1}", "{'c': 0, 'b': 2, 'a': 2}")!;
    expect(played.parts.map((part) => part.same)).toEqual([true, false, false]);
  });
});

test("a box holds a number, a short list or a shape", () => {
  const TEXTS: [string, string][] = [
    ["-2.0", "−2"],
    ["tensor(0.5) of shape ()", "0.5"],
    ["[1.0, 2.0]", "[1.0, 2.0]"],
    ["tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]) of shape (2, 3)", "(2, 3)"],
    ["minigrad.errors.GradError: element 0", "✗"],
    ["[0.123456, 0.234567]", "(2,)"],
  ];
  for (const [text, box] of TEXTS) expect(inBox(text)).toBe(box);
});
