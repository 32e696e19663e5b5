/** A mask's −∞ is no trouble; a −∞ that an op made of finite numbers is. */
import { expect, it } from "vitest";
import { masked } from "../../src/model/values";
import type { Value } from "../../src/protocol";

function valueOf(elements: readonly number[]): Value {
  const data = Buffer.from(new Float32Array(elements).buffer).toString("base64");
  const inf = elements.filter((x) => Math.abs(x) === Infinity).length;
  return { kind: "full", rows: 1, cols: elements.length, data, inf, nan: elements.filter(Number.isNaN).length };
}

it("is told by its infinities, which are all below", () => {
  expect(masked(valueOf([0, -Infinity, 1]))).toBe(true);
  expect(masked(valueOf([0, Infinity, -Infinity]))).toBe(false);
  expect(masked(valueOf([NaN, -Infinity]))).toBe(false);
  expect(masked(valueOf([0, 1]))).toBe(false);
  expect(masked({ kind: "stats", inf: 3 })).toBe(false);
  expect(masked(null)).toBe(false);
});
