import { describe, expect, it } from "vitest";
import { larger } from "../../src/render/text";

describe("text in the picture", () => {
  it("has its own size near by, and grows in the world as that grows smaller on the screen", () => {
    expect(larger(3, 1.6)).toBe(1);
    expect(larger(1, 1.6)).toBe(1);
    for (const zoom of [0.85, 0.75, 0.65]) expect(zoom * larger(zoom, 1.6)).toBeCloseTo(1);
  });

  it("grows no farther than its box has room", () => {
    expect(larger(0.2, 1.6)).toBe(1.6);
  });
});
