/** Values of which no element was kept, as cards show them. */
import { expect, it } from "vitest";
import { bareNumber } from "../../src/render/brush";

it("a value without elements shows its norm, or its number, and no empty box", () => {
  const value = { kind: "stats", norm: 12.345, min: -2, max: 3 } as const;
  expect(bareNumber(value)).toBe("norm 12.3");
  expect(bareNumber({ kind: "stats", norm: 0.75, min: -0.75, max: -0.75 })).toBe("−0.7500");
  expect(bareNumber({ ...value, nan: 2 })).toBeNull();
  expect(bareNumber({ kind: "sampled", norm: 1 })).toBeNull();
});
