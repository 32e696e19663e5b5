/** Numbers beside lines: none on another, none under a card; and the picture holds its lines. */
import { describe, expect, it } from "vitest";
import { overlaps, type Rect, straight } from "../../src/layout/geometry";
import { boundsOf, type PlacedEdge } from "../../src/layout/placed";
import { type Camera, firstLook, fit } from "../../src/render/camera";
import { findSpots, numberAt, spotOf } from "../../src/render/spots";

const line = (x: number, top: number, bottom: number): PlacedEdge => ({
  ...{ from: "n1", to: "n2", wires: ["n2.0"], count: 1, headForward: true, headBackward: true },
  forward: straight(x - 20, top, x - 20, bottom),
  backward: straight(x, bottom, x, top),
});

describe("the numbers of gradients", () => {
  it("make way for each other and for cards", () => {
    const edges = [line(0, 0, 300), line(6, 0, 300), line(12, 0, 300)];
    const card = { x: 0, y: 140, w: 200, h: 20 };
    findSpots(edges, [card]);
    const rects = edges.map((edge) => numberAt(edge.backward!, spotOf(edge)));
    for (const [i, rect] of rects.entries()) {
      expect(overlaps(rect, card)).toBe(false);
      for (const other of rects.slice(i + 1)) expect(overlaps(rect, other)).toBe(false);
    }
  });

  it("stay where they are when more lines come", () => {
    const first = line(0, 0, 300);
    findSpots([first], []);
    expect(spotOf(first)).toBe(0.5);
    findSpots([line(4, 0, 300), first], []);
    expect(spotOf(first)).toBe(0.5);
  });
});

describe("the bounds of a picture", () => {
  it("hold lines that run outside of all boxes", () => {
    const boxes = new Map([["n1", { x: 0, y: 0, w: 100, h: 50 }]]);
    expect(boundsOf({ boxes, edges: [] })).toEqual({ x: 0, y: 0, w: 100, h: 50 });
    expect(boundsOf({ boxes, edges: [line(160, 10, 90)] })).toEqual({ x: 0, y: 0, w: 160, h: 90 });
  });

  it("are seen whole at first where they are a little too wide, and not cut", () => {
    const size = { width: 654, height: 620 };
    const look = (bounds: Rect): Camera => firstLook(bounds, size, { x: 3000, y: 0, w: 100, h: 50 });
    const { zoom } = look({ x: 0, y: 0, w: 1250, h: 900 });
    expect(zoom * 1250).toBeLessThanOrEqual(size.width);
    const low = { x: 0, y: 0, w: 1250, h: 300 };
    expect(look(low)).toEqual(fit(low, size)); // in the middle, not at the top under an answer
    const wide = { x: 0, y: 0, w: 1800, h: 1500 };
    expect(look(wide)).toEqual(fit(wide, size)); // by their names alone, and none is missing
    const huge = look({ x: 0, y: 0, w: 5000, h: 900 });
    expect([huge.zoom, huge.x + size.width / huge.zoom / 2]).toEqual([0.55, 3050]); // where it begins is in the middle,
    expect(look({ x: 0, y: 0, w: 3100, h: 5000 }).x).toBeLessThan(3050 - size.width / 0.55 / 2); // and no empty room beside it
  });
});
