import { describe, expect, it } from "vitest";
import { areaOf, axisOf, bandsOf, distributionsOf, quantile, SHARES } from "../../src/model/distribution";
import type { Step } from "../../src/protocol";

const step = (number: number, values: boolean): Step => ({ step: number, first: 0, last: 0, values });

describe("a quantile of a histogram", () => {
  it("lies within its bin, in proportion", () => {
    const even = { min: 0, max: 64, hist: Array.from({ length: 64 }, () => 10) };
    for (const share of SHARES) expect(quantile(even, share)).toBeCloseTo(64 * share, 10);
    expect(quantile({ min: -1, max: 1, hist: [3, 0, 0, 1] }, 0.5)).toBeCloseTo(-1 + (2 / 3) * 0.5, 10);
  });

  it("is never in an empty bin, nor beyond the smallest and the largest", () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    for (let round = 0; round < 300; round++) {
      const hist = Array.from({ length: 64 }, () => (random() < 0.7 ? 0 : Math.floor(random() * 100)));
      hist[Math.floor(random() * 64)]! += 1;
      const at = SHARES.map((share) => quantile({ min: -2, max: 3, hist }, share));
      expect(at).toEqual([...at].sort((a, b) => a - b));
      for (const value of at) {
        const bins = [Math.floor(((value + 2) / 5) * 64), Math.ceil(((value + 2) / 5) * 64) - 1];
        expect(bins.some((bin) => (hist[bin] ?? 0) > 0)).toBe(true);
      }
    }
  });

  it("of equal elements is that element", () => {
    expect(quantile({ min: 2, max: 2, hist: [5, 0, 0] }, 0.95)).toBe(2);
  });
});

describe("a chart of bands", () => {
  const bands = [
    { step: 0, at: [-1, 0, 1, 2, 3] },
    { step: 5, at: [0, 0, 0, 0, 0] },
  ];

  it("reaches from the lowest to the highest number of all steps", () => {
    const { low, high, y } = axisOf(bands, 72, 4);
    expect([low, high, y(3), y(-1), y(1)]).toEqual([-1, 3, 4, 68, 36]);
  });

  it("has a scale where all numbers are the same", () => {
    for (const value of [0, 7, -1e-30]) {
      const { y } = axisOf([{ step: 0, at: [value, value, value, value, value] }], 72, 4);
      expect(y(value)).toBe(68);
    }
  });

  it("goes along the upper edge of a band and back along the lower", () => {
    expect(areaOf(bands, 1, 3, (step) => 2 * step, (value) => -value)).toBe("M0.0,-2.0L10.0,0.0L10.0,0.0L0.0,0.0Z"); // prettier-ignore
  });
});

describe("the distributions of loaded records", () => {
  const value = (max: number): object => ({ kind: "full", min: 0, max, hist: [1, 1] });

  it("are a leaf's first value and its last gradient, in the steps with values", () => {
    const records = [
      { step: 0, type: "tensor", id: 3, value: value(1) },
      { step: 0, type: "tensor", id: 4, value: value(9) },
      { step: 0, type: "grad_accumulated", leaf: 3, total: value(2) },
      { step: 0, type: "grad_accumulated", leaf: 3, total: value(3) },
      { step: 0, type: "mutated", tensor: 3, grad: true, value: value(4) },
      { step: 0, type: "mutated", tensor: 3, value: value(5) },
      { step: 1, type: "tensor", id: 3, value: value(6) },
      { step: 2, type: "tensor", id: 3, value: value(7) },
      { step: 2, type: "grad_accumulated", leaf: 3, total: null },
    ];
    const data = distributionsOf([step(0, true), step(1, false), step(2, true)], records, 3);
    expect(data.steps!.map((each) => [each.step, each.value?.max, each.grad?.max])).toEqual([
      [0, 1, 4],
      [2, 7, undefined],
    ]);
    expect(bandsOf(data, "grad")).toEqual([{ step: 0, at: [0.2, 1, 2, 3, 3.8] }]);
  });
});
