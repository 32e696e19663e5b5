import { describe, expect, it } from "vitest";
import {
  axisOf,
  boundsTold,
  brokenSpans,
  differencesOf,
  heightOf,
  lossesOf,
  namesOf,
  smoothed,
} from "../../src/model/losses";
import { drawable, numbersOf, withNumbers } from "../../src/model/numbers";
import { gapsIn, gapsInWords, keptOf, sizeOf, worthwhile } from "../../src/model/steps";
import { mlpRun } from "../../fixtures/runs";
import { nodeAbout } from "../../src/model/events";
import { endingTold, troubleTold } from "../../src/model/trouble";
import type { AnyRecord, NodeRecord, Numbers, Step } from "../../src/protocol";

const row = (step: number, more: Partial<Step> = {}): Step => ({ step, first: 1, last: 1, ...more });

describe("a step of which only the numbers were kept", () => {
  const at = { seq: 1, t: 0, step: 2 };
  const facts = { shape: [2, 2], dtype: "float32" };
  const node = (id: number): NodeRecord => ({
    ...at,
    type: "node",
    id,
    op: "Tanh",
    inputs: [],
    outputs: [{ ...facts, id, value: { kind: "full", norm: 9, data: "" } }],
  });
  const like: AnyRecord[] = [
    { ...at, type: "tensor", id: 7, ...facts, value: { kind: "full", norm: 5 } },
    node(1),
    node(2),
    { ...at, type: "step_taken", loss: 3 },
  ];
  const numbers: Numbers = {
    ...at,
    seq: 90,
    step: 8,
    type: "numbers",
    like: 2,
    nodes: [1, 2],
    norm: [1.5, null],
    min: [-1, null],
    max: [1, null],
    broken: [[1, 4, 0]],
  };
  const own: AnyRecord[] = [numbers, { ...at, seq: 91, step: 8, type: "step_taken", loss: 0.5 }];

  it("is drawn as the step that it is just like, with its own numbers", () => {
    expect(numbersOf(own)).toBe(numbers);
    const drawn = withNumbers(like, numbers, own);
    expect(drawn.map(({ type }) => type)).toEqual(["tensor", "node", "node", "numbers", "step_taken"]);
    expect(drawn.every(({ step }) => step === 8)).toBe(true);
    const values = drawn.flatMap((r) => (r.type === "node" ? [r.outputs[0]!.value] : []));
    expect(values[0]).toMatchObject({ kind: "stats", norm: 1.5, min: -1, max: 1, nan: 0 });
    expect(values[1]).toMatchObject({ kind: "stats", nan: 4 });
    expect(drawn[0]).toMatchObject({ value: null });
  });

  it("is itself where its ops were kept after all", () => {
    expect(numbersOf([...own, node(4)])).toBeNull();
    expect(drawable(own)).toBe(true);
    expect(drawable([own[1]!])).toBe(false);
  });
});

it("tells what was kept of each step, and leaves none out that has a loss", () => {
  const rows = [row(0, { nodes: 3, values: true }), row(1, { numbers: true }), row(2, { loss: 1 }), row(3)];
  expect(rows.map(keptOf)).toEqual(["whole", "numbers", "loss", null]);
  expect(keptOf(row(4, { nodes: 3, values: true, gradients: false }))).toBe("forward"); // held, and kept at the end
  expect(worthwhile(rows, false).map(({ step }) => step)).toEqual([0, 1, 2]);
  expect(worthwhile(rows, true)).toHaveLength(4);
});

it("counts a step's backwards only where they were recorded", () => {
  expect(sizeOf(row(1, { nodes: 3, values: true, backwards: 2 }), 3, 1)).toBe("3 ops, 1 leaf, 2 backwards");
  expect(sizeOf(row(2, { nodes: 3, values: true }), 3, 2)).toBe("3 ops, 2 leaves, 0 backwards");
  expect(sizeOf(row(3, { numbers: true }), 3, 2)).toBe("3 ops, 2 leaves"); // it had one, most likely
});

it("says which steps are missing", () => {
  expect(gapsIn([row(0), row(1), row(5), row(6), row(9)])).toEqual([
    { first: 2, last: 4 },
    { first: 7, last: 8 },
  ]);
  expect(gapsInWords(gapsIn([row(0), row(56)]))).toBe("55 steps are missing: 1 to 55.");
  expect(gapsInWords(gapsIn([row(0), row(2)]))).toBe("Step 1 is missing.");
  expect(gapsInWords([])).toBe("");
});

describe("the curve of the loss", () => {
  it("breaks off where a loss is no number, and where steps are missing", () => {
    const rows = [row(0, { loss: 3 }), row(1, { not_finite: "nan" }), row(2, { loss: 2 }), row(5, { loss: 1 })];
    expect([...lossesOf(rows)]).toEqual([{ step: 0, loss: 3 }, null, { step: 2, loss: 2 }, null, { step: 5, loss: 1 }]);
    expect(brokenSpans([row(0), row(1, { not_finite: "nan" }), row(2, { not_finite: "inf" }), row(3)])).toEqual([
      { first: 1, last: 2 },
    ]);
  });

  it("is compared with another run’s step by step, where both have a number of that name", () => {
    const mine = [row(0, { loss: 3 }), row(1, { loss: 2 }), row(2, { loss: 2, loss_name: "d" }), row(3, { loss: 1 })];
    const theirs = [row(0, { loss: 1 }), row(1, { not_finite: "nan" }), row(2, { loss: 1, loss_name: "g" })];
    expect([...differencesOf(mine, theirs)]).toEqual([{ step: 0, loss: 2 }, null, null, null]);
    expect([...differencesOf(mine, theirs, "d")]).toEqual([null]);
  });

  it("is a line for each variable that holds a loss, where several take turns", () => {
    const turns = ["d_loss", "g_loss", "d_loss", "g_loss"].map((name, i) => row(i, { loss: i, loss_name: name }));
    expect(namesOf(turns)).toEqual(["d_loss", "g_loss"]);
    expect([...lossesOf(turns, 1, "g_loss")]).toEqual([1, 3].map((step) => ({ step, loss: step })));
    expect(namesOf([...turns.slice(0, 3), row(4, { loss: 1 })])).toEqual([]); // one name alone comes twice
  });

  it("has a logarithmic axis where losses differ much, or where that was chosen", () => {
    expect(axisOf([1, 21], null)!.log).toBe(true);
    expect(axisOf([1, 19], null)!.log).toBe(false);
    expect(axisOf([1, 19], true)!.log).toBe(true);
    expect(axisOf([-1, 19], true)!.log).toBe(false);
    expect(axisOf([], null)).toBeNull();
    expect(heightOf(10, { log: true, low: 1, high: 100 })).toBeCloseTo(0.5);
    expect(heightOf(2, { log: false, low: 1, high: 3 })).toBeCloseTo(0.5);
  });

  it("tells the ends of its axis apart, however near they are", () => {
    expect(boundsTold(axisOf([1, 19.123], null)!)).toEqual({ low: "1", high: "19.1" });
    expect(boundsTold(axisOf([1.52351, 1.52362], null)!)).toEqual({ low: "1.5235", high: "1.5236" });
    expect(boundsTold(axisOf([1.5, 1.5], null)!)).toEqual({ low: "1.50", high: "1.50" });
  });

  it("that jumped is about the op at which backward began", () => {
    const records = mlpRun("m", 1);
    const root = records.find((record) => record.type === "backward_started")!.roots[0]!.node;
    const jump = { type: "anomaly_found", kind: "loss", message: "The loss jumped.", seq: 1e6, t: 0 } as AnyRecord;
    expect(nodeAbout(jump, records)).toBe(root);
    expect(nodeAbout({ ...jump, node: 7 } as AnyRecord, records)).toBe(7);
  });

  it("is smoothed without a bias to its first loss", () => {
    const points = [4, 4, 4].map((loss, step) => ({ step, loss }));
    expect([...smoothed([...points, null, { step: 9, loss: 4 }], 0.9)].map((p) => p?.loss)).toEqual(
      [4, 4, 4, undefined, 4].map((x) => (x === undefined ? x : (expect.closeTo(x) as number))),
    );
  });
});

it("tells where a run went wrong and why in two parts", () => {
  const message = "Log made 3 NaN of finite numbers. 3 of its 4 inputs are negative.";
  expect(troubleTold({ step: 7, seq: 9, kind: "nan", message, line: 29 })).toMatchObject({
    first: "Step 7, line 29: Log made 3 NaN of finite numbers.",
    rest: "3 of its 4 inputs are negative.",
  });
});

it("an error that the first line says is not said again beside the picture", () => {
  const crash = { kind: "crash", message: "The program ended with ValueError: no." };
  expect(endingTold([crash])).toBe(true);
  expect(endingTold([{ kind: "nan", message: "Log made 1 NaN." }, crash])).toBe(false);
  expect(endingTold([{ kind: "freed", message: "backward() ran a second time." }])).toBe(true);
  expect(endingTold([])).toBe(false);
});
