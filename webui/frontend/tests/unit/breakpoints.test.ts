/** The names of a pause and a breakpoint, and what "here" means. */
import { describe, expect, test } from "vitest";
import {
  announced,
  breakHere,
  fromForm,
  keyOf,
  pausedAt,
  runHere,
  sameBreakpoint,
  written,
} from "../../src/model/breakpoints";
import { Structure } from "../../src/model/structure";
import type { NodeRecord, Pause } from "../../src/protocol";

const at = { file: "/home/me/train.py", line: 12, function: "net", code: "x @ w" };
const pause: Pause = {
  number: 3,
  reason: "breakpoint",
  breakpoint: { op: "MatMul", phase: "backward" },
  phase: "backward",
  when: "before",
  op: "Mm",
  node: 2,
  names: ["hidden"],
  at,
  running_at: { ...at, line: 20 },
  scope: [],
  step: 7,
};
const node: NodeRecord = { type: "node", seq: 4, t: 0, step: 0, id: 2, op: "Mm", inputs: [], outputs: [], at };

function graph(): Structure {
  const structure = new Structure();
  structure.append([
    { type: "tensor", seq: 1, t: 0, id: 9, name: "w", shape: [2], dtype: "float32", requires_grad: true },
    { ...node, inputs: [{ name: "a", tensor: 9 }] },
  ]);
  return structure;
}

describe("in words", () => {
  test.each([
    [{ op: "MatMul", phase: "backward" as const }, "op=MatMul,backward"],
    [{ file: "a/train.py", line: 12 }, "line=train.py:12"],
    [{ module: "blocks.0", nan: true }, "module=blocks.0,nan"],
    [{ norm: 10, name: "w1" }, "name=w1,norm>10"],
    [{ norm: 0 }, "norm>0"],
  ])("a breakpoint is written as on the command line: %o", (breakpoint, words) => {
    expect(written(breakpoint)).toBe(words);
  });

  test("a pause says op, file and line, and to a listener everything", () => {
    expect(pausedAt(pause)).toBe("Paused at Mm, train.py:12");
    expect(announced(pause)).toBe(
      "The program is paused before Mm of hidden, backward of step 7, train.py line 12, started in line 20: breakpoint op=MatMul,backward.",
    );
    expect(announced({ ...pause, leaf: 9, node: null, names: ["w"] })).toContain("where w.grad has arrived");
  });

  test("what is not given and what is null are the same breakpoint", () => {
    expect(sameBreakpoint({ op: "Mm" }, { op: "Mm", line: null, nan: false, phase: null })).toBe(true);
    expect(sameBreakpoint({ op: "Mm" }, { op: "Mm", phase: "backward" })).toBe(false);
  });
});

describe("in the picture", () => {
  test("a pause stands at its node, at its leaf, or at what the op is about to take", () => {
    expect(keyOf(pause, graph())).toBe(graph().opKey(2));
    expect(keyOf({ ...pause, node: null, from_nodes: [2] }, graph())).toBe(graph().opKey(2));
    expect(keyOf({ ...pause, node: null, leaf: 9 }, graph())).toBe(graph().leafKey(9));
  });

  test("a node that the picture does not have yet is nowhere", () => {
    expect(keyOf({ ...pause, node: 77 }, graph())).toBeNull();
  });

  test("breaking here means this kind of op at this line in this module", () => {
    expect(breakHere({ ...node, scope: ["net:Net", "2:Linear"] })).toEqual({
      op: "Mm",
      file: at.file,
      line: 12,
      module: "net.2",
    });
  });

  test("the lane of a rank is no module of its program", () => {
    expect(breakHere({ ...node, scope: ["rank 1:Rank", "net:Net"] }).module).toBe("net");
    expect(breakHere({ ...node, scope: ["rank 1:Rank"] })).not.toHaveProperty("module");
  });

  test("running to here means its backward if that is to come, else where it runs next", () => {
    expect(runHere(node, true)).toEqual({ node: 2, phase: "backward", once: true });
    expect(runHere(node, false)).toMatchObject({ op: "Mm", line: 12, phase: "forward", once: true });
  });
});

describe("the form", () => {
  test.each([
    ["op", "MatMul", "", { op: "MatMul" }],
    ["op", " Tanh ", "backward", { op: "Tanh", phase: "backward" }],
    ["line", "train.py:12", "", { file: "train.py", line: 12 }],
    ["line", "7", "", { line: 7 }],
    ["nan", "", "", { nan: true }],
    ["norm", "10", "", { norm: 10 }],
  ] as const)("%s %s %s", (kind, text, phase, found) => {
    expect(fromForm(kind, text, phase)).toEqual(found);
  });

  test.each([
    ["op", ""],
    ["line", "here"],
    ["norm", "much"],
    ["norm", "-1"],
  ] as const)("says what is wrong with %s %s", (kind, text) => {
    expect(typeof fromForm(kind, text, "")).toBe("string");
  });
});
