/**
 * Finds what must be painted again: items that look different, or are elsewhere, than when they were last painted.
 * While a program runs, each batch changes a few cards and lines; painting only these takes a small part of a frame.
 */
import { common, overlaps, type Rect, shiftedRect, union, wider } from "../layout/geometry";
import { cardOf, cardTraits } from "../model/card";
import { detailOf, titleOf } from "../model/module";
import { overlayTraits } from "./overlay";
import { FRAME } from "../theme/scale";
import type { Brush } from "./brush";
import { REACH } from "./cards";
import { edgeCover, edgeTraits } from "./edges";
import { wedgeCover } from "./frames";
import type { Scene, Thing, Wedge } from "./scene";

/** A painted item: its look, its points, and the area it covers, which for a line is much less than its box. */
interface Painted {
  cover: () => readonly Rect[];
  traits: readonly unknown[];
  points: readonly number[];
  frame: boolean;
}

/** The state on which the whole picture depends: if it differs, everything is painted. */
export interface Ground {
  /** The shift of the world's origin since the first picture: a new layout moves it together with the camera. */
  origin: { x: number; y: number };
  /** Palette, zoom, and so on. */
  rest: readonly unknown[];
}

/** If at least this part of the view changed, all of it is painted, which is no more work. */
const MOST = 0.6;
/** The most pieces; each is clipped and searched separately. */
const PIECES = 24;
/** At low zoom a frame's name is written larger. */
const NAME = 2 * FRAME.head;

export class Damage {
  private ground: Ground = { origin: { x: 0, y: 0 }, rest: [] };
  private painted: ReadonlyMap<string, Painted> | null = null;

  /** The parts of the brush's area to paint; null for all of it. */
  since(scene: Scene, brush: Brush, ground: Ground): Rect[] | null {
    const { area } = brush;
    const [before, was] = [this.painted, this.ground];
    this.ground = ground;
    if (!equal(ground.rest, was.rest)) {
      this.painted = null;
      return null;
    }
    const now = looks(scene, brush);
    this.painted = now;
    if (!before) return null;
    const [dx, dy] = [ground.origin.x - was.origin.x, ground.origin.y - was.origin.y];
    const seen = changes(before, now, dx, dy).flatMap((rect) => (overlaps(rect, area) ? [common(rect, area)] : []));
    const pieces = merged(seen);
    const size = pieces.reduce((sum, r) => sum + sizeOf(r), 0);
    return size > MOST * sizeOf(area) ? null : pieces;
  }

  /** Marks the canvas as not showing what was painted here. */
  forget(): void {
    this.painted = null;
    this.ground = { ...this.ground, rest: [] };
  }
}

function looks(scene: Scene, brush: Brush): Map<string, Painted> {
  const found = new Map<string, Painted>();
  scene.each(brush.area, (thing) => {
    let name = nameOf(thing);
    while (found.has(name)) name += "'"; // two lines between the same two, or pieces of one
    found.set(name, lookOf(thing, brush));
  });
  for (const wedge of scene.wedges) found.set(`wedge ${wedge.key}`, wedgeLook(wedge));
  return found;
}

function nameOf(thing: Thing): string {
  if (thing.layer === 0) return thing.module.key;
  if (thing.layer === 1) return `${thing.edge.from}>${thing.edge.to}`;
  return thing.layer === 2 ? thing.item.key : "kept";
}

function lookOf(thing: Thing, brush: Brush): Painted {
  const { rect } = thing;
  const corners = [rect.x, rect.y, rect.x + rect.w, rect.y + rect.h];
  if (thing.layer === 3) return { cover: () => [rect], traits: [thing.name], points: corners, frame: false };
  if (thing.layer === 2) {
    const card = cardOf(thing.item, brush.graph, brush.visible, brush.state);
    return {
      cover: () => [rect],
      traits: [...cardTraits(card), ...overlayTraits(brush, thing.item)],
      points: corners,
      frame: false,
    };
  }
  if (thing.layer === 1) {
    const { forward, backward } = thing.edge;
    const points = [...forward, ...(backward ?? [])];
    const cover = edgeCover(thing.edge); // now, since the places of its texts may change with other lines
    return { cover: () => cover, traits: edgeTraits(brush, thing.edge), points, frame: false };
  }
  const { module } = thing;
  const traits = [titleOf(module), detailOf(module), module.size, module.depth];
  return { cover: () => [rect], traits, points: corners, frame: true };
}

function wedgeLook({ cell, frame }: Wedge): Painted {
  const points = [cell, frame].flatMap(({ x, y, w, h }) => [x, y, x + w, y + h]);
  return { cover: () => [wedgeCover(cell, frame)], traits: [], points, frame: false };
}

/** `dx`, `dy`: how far the world has moved under the camera. */
function changes(
  before: ReadonlyMap<string, Painted>,
  now: ReadonlyMap<string, Painted>,
  dx: number,
  dy: number,
): Rect[] {
  const rects: Rect[] = [];
  for (const [name, was] of before) {
    const is = now.get(name);
    if (is && stands(was.points, is.points, dx, dy) && equal(was.traits, is.traits)) continue;
    const old = was.cover().map((rect) => shiftedRect(rect, dx, dy));
    if (was.frame && is?.frame) rects.push(...frameChanges(old[0]!, is.cover()[0]!));
    else rects.push(...old, ...(is?.cover() ?? []));
  }
  for (const [name, is] of now) if (!before.has(name)) rects.push(...is.cover());
  return rects.map((r) => wider(r, REACH));
}

/** The changed parts of a frame that grows: its head, and the sides that move, including their round corners. */
function frameChanges(a: Rect, b: Rect): Rect[] {
  const all = union([a, b]);
  const across = (from: number, to: number): Rect => ({ ...all, x: Math.min(from, to), w: Math.abs(from - to) });
  const along = (from: number, to: number): Rect => ({ ...all, y: Math.min(from, to), h: Math.abs(from - to) });
  const sides: Rect[] = [];
  if (!near(a.x, b.x)) sides.push(across(a.x, b.x));
  if (!near(a.x + a.w, b.x + b.w)) sides.push(across(a.x + a.w, b.x + b.w));
  if (!near(a.y, b.y)) sides.push(along(a.y, b.y + NAME));
  if (!near(a.y + a.h, b.y + b.h)) sides.push(along(a.y + a.h, b.y + b.h));
  return [{ ...all, h: NAME }, ...sides.map((r) => wider(r, FRAME.radius))];
}

/** Joins pieces if that adds no area to paint; too many are replaced by one around them all. */
function merged(rects: readonly Rect[]): Rect[] {
  const pieces: Rect[] = [];
  for (let rect of rects) {
    for (let i = pieces.length - 1; i >= 0; i--) {
      const both = union([rect, pieces[i]!]);
      if (sizeOf(both) > sizeOf(rect) + sizeOf(pieces[i]!)) continue;
      pieces.splice(i, 1);
      rect = both;
    }
    pieces.push(rect);
  }
  return pieces.length > PIECES ? [union(pieces)] : pieces;
}

const sizeOf = (r: Rect): number => r.w * r.h;

/** Rounding errors of places that moved together are smaller than this. */
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-3;

/** Whether the points are the same, apart from a shift. */
const stands = (was: readonly number[], is: readonly number[], dx: number, dy: number): boolean =>
  was.length === is.length && was.every((v, i) => near(v + (i % 2 === 0 ? dx : dy), is[i]!));

const equal = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
