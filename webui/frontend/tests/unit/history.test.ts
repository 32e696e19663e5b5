import { describe, expect, it } from "vitest";
import { mlpRun, scalarRun, transformerRun } from "../../fixtures/runs";
import { cpuMs } from "./timing";
import { History } from "../../src/model/history";
import { gradientAt, hashState, newest, phaseOf } from "../../src/model/state";
import { scalar } from "../../src/model/values";

function historyOf(records: ReturnType<typeof scalarRun>): History {
  const history = new History();
  history.append(records);
  return history;
}

describe("a history", () => {
  it("goes back and forth to the same moment", () => {
    const history = historyOf(scalarRun());
    const there = Array.from({ length: history.length + 1 }, (_, i) => hashState(history.at(i)));
    const back = there.map((_, i) => hashState(history.at(history.length - i))).reverse();
    expect(back).toEqual(there);
    expect(new Set(there).size).toBe(there.length);
  });

  it("is the same whether records come at once or one by one", () => {
    const records = mlpRun("m", 3);
    const whole = historyOf(records);
    const pieces = new History();
    for (const record of records) pieces.append([record]);
    expect(hashState(pieces.at(77))).toBe(hashState(whole.at(77)));
    expect(pieces.stops).toEqual(whole.stops);
  });

  it("restores any of 10,000 events in under 100 ms", () => {
    const history = historyOf(transformerRun("t", 90));
    expect(history.records.length).toBeGreaterThan(10_000);
    const targets = [1, 5_000, history.length - 1, 17, 7_777].filter((p) => p <= history.length);
    for (const position of targets) {
      expect(cpuMs(() => history.at(position))).toBeLessThan(100);
    }
  });

  it("shows three contributions to a, one after another, and their sum", () => {
    const history = historyOf(scalarRun());
    const end = history.at(history.length);
    const a = end.tensors.get(1)!;
    const first = a.arrived.filter((c) => c.run === 1);
    expect(first.map((c) => scalar(c.value)!.toFixed(4))).toEqual(["0.5966", "0.2983", "0.2983"]);
    expect(scalar(first.at(-1)!.total)).toBeCloseTo(1.1931, 3);
    expect(newest(a.arrived)).toHaveLength(3);
    expect(scalar(a.grad)).toBeCloseTo(2 * 1.1931, 3);
  });

  it("holds no saved byte once everything is released", () => {
    const history = historyOf(scalarRun());
    expect(Math.max(...history.savedBytes)).toBeGreaterThan(0);
    expect(history.savedBytes.at(-1)).toBe(0);
    expect(history.at(history.length).savedBytes).toBe(0);
  });

  it("knows the phase and the gradient of a node at every moment", () => {
    const history = historyOf(scalarRun());
    const mul = history.records.find((r) => r.type === "node")!.id;
    expect(phaseOf(history.at(0), mul)).toBe("absent");
    expect(phaseOf(history.at(1), mul)).toBe("forward");
    expect(phaseOf(history.at(history.length), mul)).toBe("done");
    expect(gradientAt(history.at(1), mul)).toBeNull();
    expect(scalar(gradientAt(history.at(history.length), mul))).toBeCloseTo(0.5966, 3);
  });
});
