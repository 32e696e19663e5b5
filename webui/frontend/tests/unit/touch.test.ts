/** The moment that comes of a touch, and what is said of it. */
import { describe, expect, it } from "vitest";
import { recordedTraces } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { cardOf } from "../../src/model/card";
import { gradientAt } from "../../src/model/state";
import { Structure } from "../../src/model/structure";
import { gradientSaid, reachOf, saidOf, touchedState } from "../../src/model/touch";
import { scalar } from "../../src/model/values";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord, Touched, Value } from "../../src/protocol";

const single = (x: number): Value => ({
  ...{ kind: "full", rows: 1, cols: 1, data: btoa(String.fromCharCode(...new Uint8Array(Float32Array.of(x).buffer))) },
  ...{ min: x, max: x, mean: x, norm: Math.abs(x) },
});

const records = recordedTraces().find((all) => all.some((r) => r.type === "run_started" && r.id === "expression"))!;

function moment(): { graph: Structure; history: History } {
  const [graph, history] = [new Structure(), new History()];
  graph.append(records as AnyRecord[]);
  history.append(records as AnyRecord[]);
  return { graph, history };
}

describe("a touched moment", () => {
  const touched: Touched = {
    values: [{ node: 3, output: 0, follows: true, value: single(0.9), gradient: single(1) }],
    leaves: [{ tensor: 1, value: single(2), before: single(3), gradient: single(4) }],
  };

  it("has the new value on the card, in the node and in the tensor, and leaves the recorded moment as it was", () => {
    const { graph, history } = moment();
    const state = history.at(history.length);
    const before = JSON.stringify([...state.tensors]);
    const next = touchedState(graph, state, touched, (own) => own);
    expect(scalar(next.nodes.get(3)!.output)).toBeCloseTo(0.9);
    expect(scalar(next.tensors.get(graph.output(3)!.id)!.value)).toBeCloseTo(0.9);
    expect(scalar(gradientAt(next, 3))).toBe(1);
    expect(scalar(next.tensors.get(1)!.value)).toBe(2);
    expect(scalar(next.tensors.get(1)!.grad)).toBe(4);
    const visible = visibleGraph(graph, new Map());
    const item = visible.items.get(graph.opKey(3))!;
    const card = (of: typeof state): string => JSON.stringify(cardOf(item, graph, visible, of));
    expect(card(next)).not.toBe(card(state));
    expect(JSON.stringify([...state.tensors])).toBe(before);
  });

  it("has no gradient where backward has not come yet", () => {
    const { graph, history } = moment();
    let start = 0;
    while (history.event(start + 1)?.type !== "backward_started") start += 1;
    const next = touchedState(graph, history.at(start), touched, (own) => own);
    expect(gradientAt(next, 3)).toBeNull();
    expect(next.tensors.get(1)!.grad).toBeNull();
  });
});

describe("what is said", () => {
  it("puts what came beside what the slope predicted", () => {
    expect(saidOf("a", { old: -4, value: -3.5, before: 24.5, after: 94, slope: 138.5 })).toBe(
      "a is −3.500, moved by +0.5000; the loss changes by +69.50, and the slope predicted +69.25.",
    );
    expect(saidOf("y", { old: 1, value: 2 })).toBe("y is 2; no finite loss depends on it.");
  });

  it("calls a gradient by its number, or by its norm", () => {
    expect(gradientSaid(single(-2.5))).toBe("−2.500");
    expect(gradientSaid({ kind: "full", rows: 2, cols: 2, norm: 5 })).toBe("5");
    expect(gradientSaid(null)).toBe("none");
  });

  it("lets a number go as far as it is large, and at least by 1", () => {
    expect(reachOf(-4)).toEqual({ from: -8, to: 0 });
    expect(reachOf(0.03)).toEqual({ from: -0.97, to: 1.03 });
    expect(reachOf(0)).toEqual({ from: -1, to: 1 });
  });
});
