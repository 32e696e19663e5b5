/** Long curves, cut up: what is out of sight need not be drawn, and dashes above all cost by their number. */
import type { Curve, Rect } from "./geometry";

/** A part of a curve, and the box around it. */
export interface Piece {
  curve: Curve;
  box: Rect;
}

/** No piece is much longer than this. */
const LONGEST = 240;

const cut = new WeakMap<Curve, readonly Piece[]>();

/** The curve in order, always cut at the same places; made once for each curve. */
export function piecesOf(curve: Curve): readonly Piece[] {
  let pieces = cut.get(curve);
  if (!pieces) cut.set(curve, (pieces = cutUp(curve)));
  return pieces;
}

function cutUp(curve: Curve): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i + 7 < curve.length; i += 6) {
    let rest = curve.slice(i, i + 8);
    for (let left = Math.ceil(lengthOf(rest) / LONGEST); left > 1; left--) {
      const [first, second] = split(rest, 1 / left);
      pieces.push(pieceOf(first));
      rest = second;
    }
    pieces.push(pieceOf(rest));
  }
  return pieces;
}

/** Of the polygon through a curve's control points, which is a little longer than the curve. */
function lengthOf(bezier: Curve): number {
  let length = 0;
  for (let i = 2; i < bezier.length; i += 2)
    length += Math.hypot(bezier[i]! - bezier[i - 2]!, bezier[i + 1]! - bezier[i - 1]!);
  return length;
}

/** De Casteljau: the same curve as two, the first up to `t`. */
function split(bezier: Curve, t: number): [Curve, Curve] {
  const rows = [bezier];
  for (let row = bezier; row.length > 2;) {
    const next = row.slice(2).map((v, i) => row[i]! + (v - row[i]!) * t);
    rows.push(next);
    row = next;
  }
  return [rows.flatMap((row) => row.slice(0, 2)), rows.toReversed().flatMap((row) => row.slice(-2))];
}

/** A curve lies within its control points. */
function pieceOf(curve: Curve): Piece {
  const [xs, ys] = [0, 1].map((axis) => curve.filter((_, i) => i % 2 === axis)) as [number[], number[]];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { curve, box: { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y } };
}
