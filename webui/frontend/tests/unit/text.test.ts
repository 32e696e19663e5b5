import { describe, expect, it } from "vitest";
import { readableScale } from "../../src/render/text";

describe("text in the picture", () => {
  it("has its own size near by, and grows in the world as that grows smaller on the screen", () => {
    expect(readableScale(3, 1.6)).toBe(1);
    expect(readableScale(1, 1.6)).toBe(1);
    for (const zoom of [0.85, 0.75, 0.65]) expect(zoom * readableScale(zoom, 1.6)).toBeCloseTo(1);
  });

  it("grows no farther than its box has room", () => {
    expect(readableScale(0.2, 1.6)).toBe(1.6);
  });
});
