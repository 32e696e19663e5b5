/** The folding of a picture so that it can be read. */
import { describe, expect, it } from "vitest";
import { mlpRun } from "../../fixtures/runs";
import { Tape } from "../../fixtures/tape";
import { type Crowd, fewerBoxes, LEAST_BOXES, LEAST_RUSHING } from "../../src/camera/crowd";
import type { Pane } from "../../src/camera/shot";
import { compose } from "../../src/layout/compose";
import { solveLinear } from "../../src/layout/linear";
import { Structure } from "../../src/model/structure";
import { NO_WISH } from "../../src/model/modules";
import { visibleGraph } from "../../src/model/visible";

const paneOf = (width: number, height: number): Pane => ({
  ...{ width, height },
  covered: { top: 0, right: 0, bottom: 0, left: 0 },
});

describe("a picture that cannot be read", () => {
  const graph = new Structure();
  graph.append(mlpRun("mlp", 1));
  const visible = visibleGraph(graph, new Map());
  const placement = compose(visible, solveLinear);
  const { w, h } = placement.bounds;
  const ask = (pane: Pane, more: Partial<Crowd> = {}) =>
    fewerBoxes(placement, visible, pane, { boxes: 60, ops: 40, rushing: false, ...more });

  it("is folded further, by half at the most at a time, and never below a few boxes", () => {
    expect(ask(paneOf(2 * w, h))).toBeNull();
    expect(ask(paneOf(w / 4, h))).toBe(30);
    expect(ask(paneOf(w / 4, h), { boxes: 20 })).toBe(LEAST_BOXES);
    expect(ask(paneOf(w / 4, h), { boxes: LEAST_BOXES })).toBeNull();
  });

  it("may be tall at rest, but not while it rushes by; a large one is seen in parts at rest alone", () => {
    expect(ask(paneOf(2 * w, h / 4))).toBeNull();
    expect(ask(paneOf(2 * w, h / 4), { rushing: true })).toBe(20);
    expect(ask(paneOf(2 * w, 0.7 * h), { rushing: true })).toBe(30);
    expect(ask(paneOf(w / 4, h), { ops: 100_000 })).toBeNull();
    expect(ask(paneOf(w / 4, h), { ops: 100_000, rushing: true })).toBe(30);
  });

  it("is left alone where it has few boxes, and fewer than at rest while it rushes by", () => {
    const asked = (items: number, rushing: boolean): number | null =>
      fewerBoxes(
        placement,
        { ...visible, items: new Map([...visible.items].slice(0, items)) },
        ...([paneOf(100, 100), { boxes: LEAST_BOXES + 1, ops: 40, rushing }] as const),
      );
    expect(asked(LEAST_BOXES, false)).toBeNull();
    expect(asked(LEAST_BOXES, true)).toBe(LEAST_RUSHING);
    expect(asked(LEAST_RUSHING, true)).toBeNull();
  });
});

/** Ops in which nothing repeats, so that they are not stacked. */
const UNLIKE = ["Tanh", "Square", "ReLU", "Square", "Tanh", "Tanh", "ReLU", "ReLU", "Square", "Tanh"] as const;

describe("the only module of a step", () => {
  const foldedBeside = (ops: number, deep: boolean): boolean => {
    const tape = new Tape("net.py", "", { id: "net", name: "net.py" });
    let x = tape.tensor(tape.random(2, 2));
    tape.scope = ["net:Net"];
    for (const op of [...UNLIKE, ...UNLIKE]) x = tape.op(op, [x], "");
    tape.scope = [];
    for (const op of UNLIKE.slice(0, ops)) x = tape.op(op, [x], "");
    const graph = new Structure();
    graph.append(tape.records);
    return visibleGraph(graph, new Map(), null, { ...NO_WISH, boxes: 12, deep }).modules.get("m/net")!.folded;
  };

  it("is folded while it rushes by, if there is much to see beside it", () => {
    expect(foldedBeside(3, false)).toBe(false);
    expect(foldedBeside(10, false)).toBe(true);
    expect(foldedBeside(10, true)).toBe(false);
  });
});
