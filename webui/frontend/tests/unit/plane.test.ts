import { describe, expect, it } from "vitest";
import {
  everyOf,
  exactly,
  held,
  high,
  inSight,
  nearer,
  numbersOf,
  planeOf,
  readingIn,
  Shelf,
  SIDE,
  spotOf,
  whole,
  wide,
} from "../../src/model/plane";
import { encode } from "../../src/model/values";
import type { Tile } from "../../src/protocol";

const room = { width: 360, height: 260 };
const large = planeOf([4096, 4096]);

describe("a plane", () => {
  it("is the last two axes; a vector is one row, and a scalar one element", () => {
    expect(planeOf([2, 3, 4, 5])).toEqual({ rows: 4, cols: 5, leading: [2, 3] });
    expect(planeOf([7])).toEqual({ rows: 1, cols: 7, leading: [] });
    expect(planeOf([])).toEqual({ rows: 1, cols: 1, leading: [] });
  });

  it("fits into its room as a whole, and one of a single row can still be seen", () => {
    const { size, window } = whole(large, room);
    expect(size).toEqual({ width: 260, height: 260 });
    expect(window.scale * 4096).toBeCloseTo(260);
    expect(whole(planeOf([4096]), room).size).toEqual({ width: 360, height: 24 });
  });

  it("never asks for more than a few tiles of 64 by 64, however near or far", () => {
    let { window } = whole(large, room);
    const { size } = whole(large, room);
    for (let i = 0; i < 12; i++) {
      const spots = inSight(window, large, size);
      expect(spots.length).toBeLessThanOrEqual(9);
      for (const { row, col, every } of spots) {
        expect(row % (SIDE * every)).toBe(0);
        expect(col).toBeLessThan(4096);
        expect(every * window.scale).toBeGreaterThanOrEqual(3);
      }
      window = nearer(window, large, room, 2, { x: 100, y: 30 });
    }
    expect(everyOf(window.scale)).toBe(1);
  });

  it("keeps the element under the pointer where it is, and itself in the window", () => {
    const at = { x: 210, y: 40 };
    const before = nearer(whole(large, room).window, large, room, 40, at);
    const after = nearer(before, large, room, 2, at);
    const under = (w: typeof before): number[] => [
      w.x + at.x / wide(large, w.scale),
      w.y + at.y / high(large, w.scale),
    ];
    expect(under(after)[0]).toBeCloseTo(under(before)[0]!);
    expect(under(after)[1]).toBeCloseTo(under(before)[1]!);
    const corner = held({ ...after, x: 1e6, y: -5 }, large, whole(large, room).size);
    expect(corner.x + 260 / after.scale).toBeCloseTo(4096);
    expect(corner.y).toBe(0);
    expect(nearer(after, large, room, 1e-9, at)).toEqual(whole(large, room).window);
  });
});

describe("a tile", () => {
  const tile: Tile = {
    type: "tile",
    number: 1,
    row: 64,
    col: 128,
    rows: 2,
    cols: 3,
    every: 4,
    data: encode(Float32Array.of(0.1, 2, NaN, -3, 4, Infinity)),
    broken: [4],
  };

  it("reads an element by the one that stands for it, and says which that is", () => {
    const numbers = numbersOf(tile);
    expect(readingIn(numbers, 67, 128)).toMatchObject({ row: 64, col: 128, text: "0.1", every: 4, broken: false });
    expect(readingIn(numbers, 69, 135)).toMatchObject({ row: 68, col: 132, text: "4", broken: true });
    expect(readingIn(numbers, 64, 138)).toMatchObject({ col: 136, text: "NaN" });
    expect(readingIn(numbers, 72, 128)).toBeNull();
  });

  it("that is cut off is no tile", () => {
    expect(() => numbersOf({ ...tile, rows: 3 })).toThrow("not as long");
  });

  it("says each number with as few digits as tell it from every other", () => {
    for (const x of [0.1, 1 / 3, 16777216, 1e-38, -123.456].map(Math.fround))
      expect(Math.fround(Number(exactly(x, false).replaceAll("−", "-")))).toBe(x);
    expect(exactly(Math.fround(0.1), false)).toBe("0.1");
    expect(exactly(0.1 + 0.2, true)).toBe("0.30000000000000004");
    expect([NaN, Infinity, -Infinity].map((x) => exactly(x, false))).toEqual(["NaN", "∞", "−∞"]);
  });

  it("is found from any element in it", () => {
    expect(spotOf(4095, 0, 8)).toEqual({ row: 3584, col: 0, every: 8 });
  });
});

it("a shelf holds the newest and what was looked at last", () => {
  const shelf = new Shelf<number>(2);
  shelf.put("a", 1);
  shelf.put("b", 2);
  shelf.get("a");
  shelf.put("c", 3);
  expect([shelf.get("a"), shelf.get("b"), shelf.get("c"), shelf.size]).toEqual([1, undefined, 3, 2]);
});
