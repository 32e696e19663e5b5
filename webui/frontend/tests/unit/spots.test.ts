/** Numbers beside lines: none on another, none under a card; and the picture holds its lines. */
import { describe, expect, it } from "vitest";
import { overlaps, type Rect, straight } from "../../src/layout/geometry";
import { boundsOf, type PlacedEdge } from "../../src/layout/placed";
import { edgeCover } from "../../src/render/edges";
import { wedgeCover } from "../../src/render/frames";
import { endAtBorder, findSpots, numberAt, shiftOf, spotOf } from "../../src/render/spots";

const contains = (a: Rect, b: Rect): boolean =>
  b.x >= a.x && b.y >= a.y && b.x + b.w <= a.x + a.w && b.y + b.h <= a.y + a.h;

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

  it("of two short lines side by side are one above the other", () => {
    const edges = [line(0, 120, 180), line(10, 120, 180)];
    findSpots(edges, []);
    const [a, b] = edges.map((edge) => numberAt(edge.backward!, spotOf(edge)));
    expect(overlaps(a!, b!)).toBe(false);
  });

  it("make way for that of a short line, which has one place, also if that line comes later", () => {
    const [long, short] = [line(0, 0, 300), line(10, 120, 180)];
    findSpots([long, short], []);
    const [a, b] = [long, short].map((edge) => numberAt(edge.backward!, spotOf(edge)));
    expect(spotOf(short)).toBe(0.5);
    expect(overlaps(a!, b!)).toBe(false);
  });

  it("stay where they are when more lines come", () => {
    const first = line(0, 0, 300);
    findSpots([first], []);
    expect(spotOf(first)).toBe(0.5);
    findSpots([line(4, 0, 300), first], []);
    expect(spotOf(first)).toBe(0.5);
  });
});

describe("the names of what a lens is joined to", () => {
  it("stand side by side where lines enter at one place", () => {
    const edges = [0, 0, 0, 400].map((x): PlacedEdge => ({ ...line(x, 100, 200), stub: "in" }));
    findSpots(edges, []);
    expect(edges.map(shiftOf)).toEqual([0, 96, -96, 0]);
    expect(endAtBorder(edges[0]!)).toEqual([-20, 100]);
    expect(endAtBorder({ ...line(0, 100, 200), stub: "out" })).toEqual([-20, 200]);
  });

  it("are left out where there is no room, rather than written over each other", () => {
    const edges = [0, 0, 0, 0, 0, 0, 0].map((x): PlacedEdge => ({ ...line(x, 100, 200), stub: "in" }));
    findSpots(edges, []);
    expect(edges.map(shiftOf)).toEqual([0, 96, -96, 192, -192, null, null]);
  });
});

describe("what is painted again", () => {
  const name = (edge: PlacedEdge) => ({ x: endAtBorder(edge)[0] + shiftOf(edge)! - 40, y: 85, w: 80, h: 14 });
  const holds = (edge: PlacedEdge): boolean => edgeCover(edge).some((rect) => contains(rect, name(edge)));

  it("holds the name of what a lens is joined to, also when it has made way for another", () => {
    const [first, second] = [0, 0].map((x): PlacedEdge => ({ ...line(x, 100, 200), stub: "in" }));
    findSpots([second!], []);
    expect(holds(second!)).toBe(true);
    findSpots([first!, second!], []);
    expect(shiftOf(second!)).toBe(96);
    expect(holds(first!) && holds(second!)).toBe(true);
  });

  it("holds the wedge from an instance to its open frame, beside it and below it", () => {
    const cell = { x: 0, y: 0, w: 40, h: 20 };
    expect(wedgeCover(cell, { x: 60, y: -50, w: 200, h: 300 })).toEqual({ x: 40, y: -50, w: 21, h: 300 });
    const { x, y, w } = wedgeCover(cell, { x: -30, y: 80, w: 200, h: 300 });
    expect([x, y, w]).toEqual([-30, 20, 200]);
  });
});

describe("the bounds of a picture", () => {
  it("hold lines that run outside of all boxes", () => {
    const boxes = new Map([["n1", { x: 0, y: 0, w: 100, h: 50 }]]);
    expect(boundsOf({ boxes, edges: [] })).toEqual({ x: 0, y: 0, w: 100, h: 50 });
    expect(boundsOf({ boxes, edges: [line(160, 10, 90)] })).toEqual({ x: 0, y: 0, w: 160, h: 90 });
  });
});
