import { describe, expect, it } from "vitest";
import { type Entry, findOps, gradientFormula, wordsOf } from "../../src/ops/reference";

const op = (name: string, about = ""): Entry => ({
  name,
  about,
  formula: "",
  inputs: ["x"],
  settings: [],
  gradients: {},
  samples: [],
  view: false,
});

describe("the reference", () => {
  const ops = [op("LogSoftmax", "Logarithm of softmax."), op("Softmax"), op("SoftmaxBackward"), op("Tanh", "Squash.")];

  it("puts the op of that name first, then those that begin so, then those that speak of it", () => {
    expect(findOps(ops, "softmax").map((o) => o.name)).toEqual(["Softmax", "SoftmaxBackward", "LogSoftmax"]);
  });

  it("wants every word", () => {
    expect(findOps(ops, "logarithm softmax").map((o) => o.name)).toEqual(["LogSoftmax"]);
    expect(findOps(ops, "  ")).toHaveLength(4);
  });

  it("gives a rule its left side, where it has none", () => {
    expect(gradientFormula("a", "\\bar Y B")).toBe("\\bar{a} = \\bar Y B");
    expect(gradientFormula("x", "\\bar x = \\bar y")).toBe("\\bar x = \\bar y");
  });

  it("tells code and formulas in a sentence apart", () => {
    expect(wordsOf("Rows of `a`, as :math:`\\bar Y^{\\top} X`.")).toEqual([
      { text: "Rows of ", kind: "words" },
      { text: "a", kind: "code" },
      { text: ", as ", kind: "words" },
      { text: "\\bar Y^{\\top} X", kind: "math" },
      { text: ".", kind: "words" },
    ]);
  });
});
