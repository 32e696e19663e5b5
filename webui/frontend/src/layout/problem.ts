/**
 * The layout of one frame as a separate problem: blocks with ports, and links between them. Equal modules give equal
 * problems.
 */
import type { Curve } from "./geometry";

/** The points where a port's two lanes meet the block's edge, measured from its left. */
export interface Lane {
  f: number;
  b: number;
}

export interface Block {
  w: number;
  h: number;
  /** Ports on the upper edge and on the lower one. */
  ins: Lane[];
  outs: Lane[];
  /** Ports of the frame itself stand first or last. */
  rank: "first" | "last" | null;
}

export interface Link {
  from: number;
  out: number;
  to: number;
  in: number;
  grad: boolean;
}

export interface Problem {
  /** Small cards are placed closer together. */
  tight?: boolean;
  blocks: Block[];
  links: Link[];
}

export interface Solution {
  w: number;
  h: number;
  /** Upper left corner of each block. */
  at: { x: number; y: number }[];
  forward: Curve[];
  /** In the direction of the forward link; null where no gradient comes back. */
  backward: (Curve | null)[];
}
