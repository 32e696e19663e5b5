/** Rectangles and curves. A curve is its first point, then three points for each cubic Bézier piece. */

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export type Curve = number[];

export const shifted = (curve: Curve, dx: number, dy: number): Curve =>
  curve.map((v, i) => v + (i % 2 === 0 ? dx : dy));

/** A straight piece from the curve's end to a point. */
export function lineTo(curve: Curve, x: number, y: number): void {
  const [fromX, fromY] = endOf(curve);
  if (Math.abs(fromX - x) < 0.01 && Math.abs(fromY - y) < 0.01) return;
  const third = (a: number, b: number, t: number): number => a + ((b - a) * t) / 3;
  curve.push(third(fromX, x, 1), third(fromY, y, 1), third(fromX, x, 2), third(fromY, y, 2), x, y);
}

export const endOf = (curve: Curve): [number, number] => [curve[curve.length - 2]!, curve[curve.length - 1]!];

export const straight = (x0: number, y0: number, x1: number, y1: number): Curve => {
  const curve = [x0, y0];
  lineTo(curve, x1, y1);
  return curve;
};

/** A curve that leaves downwards and arrives from above. */
export function vertical(x0: number, y0: number, x1: number, y1: number): Curve {
  if (Math.abs(x0 - x1) < 0.5) return straight(x0, y0, x1, y1);
  const bend = Math.max(24, Math.abs(y1 - y0) * 0.45);
  return [x0, y0, x0, y0 + bend, x1, y1 - bend, x1, y1];
}

/** Straight lines from corner to corner, with rounded corners. */
export function orthogonal(points: readonly [number, number][], radius = 8): Curve {
  const curve: Curve = [...points[0]!];
  for (let i = 1; i < points.length - 1; i++) {
    const [from, corner, to] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const room = Math.min(radius, distance(from, corner) / 2, distance(corner, to) / 2);
    if (room < 0.5) continue;
    const [start, end] = [towards(corner, from, room), towards(corner, to, room)];
    lineTo(curve, ...start);
    curve.push(...towards(start, corner, room * 0.55), ...towards(end, corner, room * 0.55), ...end);
  }
  lineTo(curve, ...points.at(-1)!);
  return curve;
}

const distance = ([ax, ay]: [number, number], [bx, by]: [number, number]): number => Math.hypot(bx - ax, by - ay);

function towards(from: [number, number], to: [number, number], by: number): [number, number] {
  const share = by / (distance(from, to) || 1);
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}

/** The same curve in the opposite direction. */
export function reversed(curve: Curve): Curve {
  const out: Curve = [];
  for (let i = curve.length - 2; i >= 0; i -= 2) out.push(curve[i]!, curve[i + 1]!);
  return out;
}

/** A point on the curve, by parameter over all pieces. */
export function pointAt(curve: Curve, t: number): [number, number] {
  const pieces = (curve.length - 2) / 6;
  const place = Math.min(pieces - 1e-9, Math.max(0, t * pieces));
  const piece = Math.floor(place);
  const u = place - piece;
  const at = (axis: number): number => {
    const p = (k: number): number => curve[piece * 6 + k * 2 + axis]!;
    const v = 1 - u;
    return v * v * v * p(0) + 3 * v * v * u * p(1) + 3 * v * u * u * p(2) + u * u * u * p(3);
  };
  return [at(0), at(1)];
}

export const contains = (r: Rect, x: number, y: number): boolean =>
  x >= r.x && y >= r.y && x <= r.x + r.w && y <= r.y + r.h;

export const overlaps = (a: Rect, b: Rect): boolean =>
  a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;

export const shiftedRect = (r: Rect, dx: number, dy: number): Rect => ({ ...r, x: r.x + dx, y: r.y + dy });

export const wider = (r: Rect, by: number): Rect => ({ x: r.x - by, y: r.y - by, w: r.w + 2 * by, h: r.h + 2 * by });

/** The part that two overlapping rectangles share. */
export function common(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y };
}

/** The bounding box of a curve's control points, which contains the curve. */
export function around(curve: Curve): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < curve.length; i += 2) {
    left = Math.min(left, curve[i]!);
    top = Math.min(top, curve[i + 1]!);
    right = Math.max(right, curve[i]!);
    bottom = Math.max(bottom, curve[i + 1]!);
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

export function union(rects: Iterable<Rect>): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const r of rects) {
    left = Math.min(left, r.x);
    top = Math.min(top, r.y);
    right = Math.max(right, r.x + r.w);
    bottom = Math.max(bottom, r.y + r.h);
  }
  return left === Infinity ? { x: 0, y: 0, w: 0, h: 0 } : { x: left, y: top, w: right - left, h: bottom - top };
}
