/** A placed line of the picture. */
import type { Segment } from "./plan";
import { around, type Curve, type Rect, reversed, straight, union } from "./geometry";

export interface PlacedEdge {
  /** Keys of the two ends in the picture, and the frame the line lies in. */
  from: string;
  to: string;
  wires: string[];
  forward: Curve;
  /** From the receiver back to the sender. */
  backward: Curve | null;
  count: number;
  /** Only where a line really arrives does it get an arrow head. */
  headForward: boolean;
  headBackward: boolean;
  /** Set if the line ends at the border of a lens: its other end is elsewhere in the picture, and is named. */
  stub?: "in" | "out";
  /** Set if it is no wire, but what this rank gives to a collective. */
  rank?: number;
}

/** The area of the whole picture: a line may run outside the boxes. */
export const boundsOf = ({ boxes, edges }: { boxes: ReadonlyMap<string, Rect>; edges: PlacedEdge[] }): Rect =>
  union([
    ...boxes.values(),
    ...edges.flatMap((e) => (e.backward ? [around(e.forward), around(e.backward)] : [around(e.forward)])),
  ]);

export const edgeOf = (segment: Segment, forward: Curve, backward: Curve | null): PlacedEdge => ({
  from: segment.from.key,
  to: segment.to.key,
  wires: segment.wires,
  forward,
  backward,
  count: segment.count,
  headForward: segment.to.kind === "item",
  headBackward: segment.from.kind === "item",
});

/** Pill and card exchange value and gradient on two short lines; several pills share the card's side evenly. */
export function sideways(segment: Segment, boxes: Map<string, Rect>, pills: string[]): PlacedEdge {
  const pill = boxes.get(segment.from.key)!;
  const card = boxes.get(segment.to.key)!;
  const toRight = pill.x < card.x;
  const [near, far] = toRight ? [pill.x + pill.w, card.x] : [pill.x, card.x + card.w];
  const place = pills.indexOf(segment.from.key);
  const line = (share: number): Curve => {
    const y = pill.y + pill.h * share;
    const slot = pills.length === 1 ? y : card.y + (card.h * (place + 0.15 + 0.7 * share)) / pills.length;
    if (Math.abs(slot - y) < 1) return straight(near, y, far, y);
    const middle = (near + far) / 2;
    return [near, y, middle, y, middle, slot, far, slot];
  };
  return edgeOf(segment, line(0.3), segment.grad ? reversed(line(0.7)) : null);
}
