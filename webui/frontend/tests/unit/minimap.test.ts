/** The map of a picture shows each box where it is, and comes where the picture is larger than the pane. */
import { describe, expect, it } from "vitest";
import { freeSpot, needsMap, onMap, outlined, scaled, type Spot, SPOTS } from "../../src/layout/minimap";

const bounds = { x: -100, y: 50, w: 1000, h: 4000 };

it("has all of the picture, as large as it fits", () => {
  const scale = scaled(bounds, { w: 132, h: 96 });
  const whole = onMap(bounds, scale, bounds);
  expect([whole.x, whole.y]).toEqual([0, 0]);
  expect(whole.h).toBeCloseTo(96);
  expect(whole.w).toBeLessThan(132);
});

it("outlines the boxes that are wanted, and no others", () => {
  const boxes = new Map([
    ["n1", { x: -100, y: 50, w: 100, h: 40 }],
    ["m/net", { x: -100, y: 50, w: 900, h: 400 }],
  ]);
  const path = outlined({ boxes, edges: [], bounds }, 0.1, (key) => key === "n1");
  expect(path).toBe("M0.0 0.0h10.0v4.0h-10.0z");
});

it("comes where the picture is larger than what is seen of it", () => {
  expect(needsMap(bounds, { x: 0, y: 0, w: 1000, h: 1000 })).toBe(true);
  expect(needsMap(bounds, { x: 0, y: 0, w: 1000, h: 3900 })).toBe(false);
});

describe("where it lies", () => {
  const at = ({ across, down }: Spot) => ({ x: 900 * across, y: 900 * down, w: 100, h: 100 });
  const [usual, low, left, side] = SPOTS as [Spot, Spot, Spot, Spot];
  const box = { x: 920, y: 50, w: 60, h: 30 };

  it("is free of boxes, and stays where it is as long as that is", () => {
    expect(freeSpot(usual, at, []).spot).toBe(usual);
    expect(freeSpot(usual, at, [box]).spot).toBe(low);
    expect(freeSpot(left, at, [box]).spot).toBe(left);
    expect(freeSpot(usual, at, [box, { x: 0, y: 850, w: 80, h: 80 }]).spot).toBe(left);
  });

  it("is at a side where a box lies in each corner, and over something where there is no free place", () => {
    expect(freeSpot(usual, at, [at(low), at(left), box])).toEqual({ spot: side, free: true });
    const all = SPOTS.map(at).filter((rect) => rect.x !== 450);
    const half = { x: 440, y: 0, w: 60, h: 1000 };
    expect(freeSpot(usual, at, [...all, half])).toMatchObject({ spot: { across: 0.5 }, free: false });
  });
});
