import { describe, expect, it } from "vitest";
import { areaOf, axisOf, bandsOf, distributionsOf, quantile, SHARES } from "../../src/model/distribution";
import { encode, histogram } from "../../src/model/values";
import type { Step, Value } from "../../src/protocol";

const step = (number: number, values: boolean): Step => ({ step: number, first: 0, last: 0, values });

const sorted = (...numbers: number[]): Float32Array => Float32Array.from(numbers).sort();

describe("a quantile of elements", () => {
  it("is one of them, or lies between two in proportion", () => {
    const even = sorted(...Array.from({ length: 101 }, (_, i) => i));
    for (const share of SHARES) expect(quantile(even, share)).toBeCloseTo(100 * share, 10);
    expect(quantile(sorted(-1, 1), 0.75)).toBe(0.5);
    expect(quantile(sorted(-1, 3, 3, 3), 0.5)).toBe(3);
  });

  it("of a single element is that element", () => {
    expect(quantile(sorted(2), 0.95)).toBe(2);
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
  const value = (max: number): object => {
    const elements = Float32Array.from([max, NaN, 0]);
    return { kind: "full", rows: 1, cols: 3, data: encode(elements) };
  };

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
    expect(data.steps!.map((each) => [each.step, each.value?.[2], each.grad?.[2]])).toEqual([
      [0, 0.5, 2],
      [2, 3.5, undefined],
    ]);
    const [band] = bandsOf(data, "grad");
    expect(band!.step).toBe(0);
    for (const [i, at] of [0.2, 1, 2, 3, 3.8].entries()) expect(band!.at[i]).toBeCloseTo(at, 10);
  });
});

describe("the histogram beside a gradient", () => {
  const value = (...elements: number[]): Value => ({
    ...{ kind: "full", rows: 1, cols: elements.length },
    data: encode(Float32Array.from(elements)),
  });

  it("counts the finite elements in 16 equal bins", () => {
    const counts = histogram(value(...Array.from({ length: 33 }, (_, i) => i), NaN, -Infinity))!;
    expect(counts).toEqual([...Array.from({ length: 15 }, () => 2), 3]);
  });

  it("has all equal elements in one bin", () => {
    expect(histogram(value(...Array.from({ length: 9 }, () => 5)))).toEqual([
      9,
      ...Array.from({ length: 15 }, () => 0),
    ]);
  });

  it("is not drawn of a few elements, or of none", () => {
    expect(histogram(value(1, 2, 3, 4, 5, 6, 7, 8))).toBeNull();
    expect(histogram({ kind: "stats", norm: 1 })).toBeNull();
  });
});
