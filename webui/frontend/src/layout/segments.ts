/** Splits long curves into segments, so that invisible ones are not drawn: dashes are costly for long curves. */
import { around, type Curve, type Rect } from "./geometry";

/** A part of a curve, and the box around it. */
export interface Segment {
  curve: Curve;
  box: Rect;
}

/** Segments are not much longer than this. */
const LONGEST = 240;

const known = new WeakMap<Curve, readonly Segment[]>();

/** The segments of a curve, always split at the same points; computed once for each curve. */
export function segmentsOf(curve: Curve): readonly Segment[] {
  let segments = known.get(curve);
  if (!segments) known.set(curve, (segments = splitUp(curve)));
  return segments;
}

function splitUp(curve: Curve): Segment[] {
  const segments: Segment[] = [];
  for (let i = 0; i + 7 < curve.length; i += 6) {
    let rest = curve.slice(i, i + 8);
    for (let left = Math.ceil(lengthOf(rest) / LONGEST); left > 1; left--) {
      const [first, second] = split(rest, 1 / left);
      segments.push({ curve: first, box: around(first) });
      rest = second;
    }
    segments.push({ curve: rest, box: around(rest) });
  }
  return segments;
}

/** The length of the polygon through a curve's control points, slightly more than that of the curve. */
function lengthOf(bezier: Curve): number {
  let length = 0;
  for (let i = 2; i < bezier.length; i += 2)
    length += Math.hypot(bezier[i]! - bezier[i - 2]!, bezier[i + 1]! - bezier[i - 1]!);
  return length;
}

/** Splits a Bézier curve at `t`. */
function split(b: Curve, t: number): [Curve, Curve] {
  const x = between(b[0]!, b[2]!, b[4]!, b[6]!, t);
  const y = between(b[1]!, b[3]!, b[5]!, b[7]!, t);
  return [
    [b[0]!, b[1]!, x[0], y[0], x[1], y[1], x[2], y[2]],
    [x[2], y[2], x[3], y[3], x[4], y[4], b[6]!, b[7]!],
  ];
}

/** De Casteljau along one axis: the control values of both halves, and the point they share. */
function between(p: number, q: number, r: number, s: number, t: number): [number, number, number, number, number] {
  const mix = (a: number, b: number): number => a + (b - a) * t;
  const [pq, qr, rs] = [mix(p, q), mix(q, r), mix(r, s)];
  const [pqr, qrs] = [mix(pq, qr), mix(qr, rs)];
  return [pq, pqr, mix(pqr, qrs), qrs, rs];
}
