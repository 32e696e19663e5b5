/**
 * Shows the picture at once while the layout thread works: existing items keep their places exactly, and new ones are
 * placed below all of them, or beside the op that uses them, with plain lines.
 */
import { isLane, type Item, lensAround, type Module, ROOT } from "../model/module";
import { CARD, FRAME, GAP, PILL } from "../theme/scale";
import { cardSize, type Placement } from "./compose";
import { type Curve, type Rect, reversed, straight, union, vertical } from "./geometry";
import { boundsOf, type PlacedEdge } from "./placed";
import type { Slim } from "./slim";

type Growing = Pick<Slim, "root" | "modules" | "items" | "edges">;
type Edge = Growing["edges"][number];

/**
 * `placement` was made for `before`, or for a step before that is drawn no more and had more boxes: these are left out.
 * Returns null if `after` does not just add items to `before`.
 */
export function extended(placement: Placement, before: Growing, after: Growing): Placement | null {
  if (before.items.size === 0 || !onlyMore(before, after)) return null;
  const boxes = new Map([...placement.boxes].filter(([key]) => after.items.has(key) || after.modules.has(key)));
  const lines = newLines(before, after).filter((edge) => isWhole(edge, after));
  const fresh = [...after.items.values()].filter((item) => !boxes.has(item.key));
  for (const item of fresh) if (item.kind !== "leaf") boxes.set(item.key, below(item, boxes, after, lines));
  for (const item of fresh) if (item.kind === "leaf") boxes.set(item.key, beside(item, boxes, lines));
  growFrames(fresh, boxes, after);
  const edges = lines.map((edge) => line(edge, boxes, after));
  const kept = placement.edges.filter((edge) => boxes.has(edge.from) && boxes.has(edge.to));
  const grown = { boxes, edges: [...kept, ...edges] };
  return { ...grown, bounds: boundsOf(grown) };
}

/** A line with an end outside its lens waits for the layout, which gives it a place at the border. */
const isWhole = (edge: Edge, after: Growing): boolean => {
  const lens = edge.lens ?? null;
  return [edge.from, edge.to].every((key) => (lensOf(key, after)?.key ?? null) === lens);
};

/** Whether everything that was visible is still visible, in the same frame. */
function onlyMore(before: Growing, after: Growing): boolean {
  for (const [key, item] of before.items) {
    const now = after.items.get(key);
    if (!now || (item.kind !== "leaf" && now.frame !== item.frame)) return false;
  }
  for (const [key, module] of before.modules) {
    if (!module.folded && after.modules.get(key)?.folded !== false) return false;
  }
  return true;
}

const nameOf = (edge: Edge): string => `${edge.from}>${edge.to}>${edge.lens ?? ""}`;

function newLines(before: Growing, after: Growing): Edge[] {
  const drawn = new Set(before.edges.map(nameOf));
  return after.edges.filter((edge) => !drawn.has(nameOf(edge)));
}

/** A place below everything, in the column of its inputs. A frame that opens with the item needs room for its head. */
function below(item: Item, boxes: Map<string, Rect>, after: Growing, lines: readonly Edge[]): Rect {
  const source = lines.find((edge) => edge.to === item.key && boxes.has(edge.from))?.from;
  const lens = lensOf(item.key, after);
  const all = [...boxes].filter(([key]) => !isLane(key) && lensOf(key, after) === lens);
  const last = all.findLast(([key]) => after.items.get(key)?.kind !== "leaf" && after.items.has(key))?.[1];
  const column = (source === undefined ? null : boxes.get(source)!) ?? last ?? { x: 0 };
  const bottom = all.reduce((most, [, rect]) => Math.max(most, rect.y + rect.h), 0);
  const heads = newFrames(item, boxes, after) * FRAME.head;
  return { x: column.x, y: bottom + GAP.rank + 2 * GAP.block + heads, ...cardSize(item) };
}

/** The frame around a module; null for a lens. */
const outward = (module: Module): Module | undefined => (module.lens ? undefined : (module.parent ?? undefined));

/** The lens that contains a box. */
const lensOf = (key: string, { items, modules }: Growing): Module | null =>
  lensAround(modules.get(items.get(key)?.frame ?? key));

function newFrames(item: Item, boxes: Map<string, Rect>, after: Growing): number {
  let count = 0;
  for (let m = after.modules.get(item.frame); m && m.key !== ROOT && !boxes.has(m.key); m = outward(m)) count += 1;
  return count;
}

/**
 * The place of a pill at its side of the op, or of a leaf of several ops, which is as large as they are, left of the
 * first.
 */
function beside(item: Item, boxes: Map<string, Rect>, lines: readonly Edge[]): Rect {
  const user = item.host ?? lines.find((edge) => edge.from === item.key)?.to;
  const card = (user === undefined ? null : boxes.get(user)) ?? { x: 0, y: 0, w: CARD.width, h: CARD.height };
  const { w, h } = item.host === null ? cardSize(item) : { w: PILL.width, h: PILL.height };
  const x = item.side === "right" ? card.x + card.w + PILL.distance : card.x - PILL.distance - w;
  let y = card.y + (card.h - h) / 2;
  for (const other of boxes.values()) if (other.x === x && Math.abs(other.y - y) < h) y = other.y + other.h + PILL.gap;
  return { x, y, w, h };
}

/** Extends open modules around their new items, from the innermost out. */
function growFrames(fresh: readonly Item[], boxes: Map<string, Rect>, after: Growing): void {
  for (const item of fresh) {
    let inner = boxes.get(item.key)!;
    for (let m = after.modules.get(item.frame); m && m.key !== ROOT; m = outward(m)) {
      const { pad, head } = FRAME;
      const around = { x: inner.x - pad, y: inner.y - head, w: inner.w + 2 * pad, h: inner.h + head + pad };
      const now = boxes.get(m.key);
      inner = now ? union([now, around]) : around;
      boxes.set(m.key, inner);
    }
  }
}

function line(edge: Edge, boxes: Map<string, Rect>, after: Growing): PlacedEdge {
  const [from, to] = [boxes.get(edge.from)!, boxes.get(edge.to)!];
  const pill = after.items.get(edge.from)?.kind === "leaf" && from.y + from.h > to.y;
  const route = pill ? sideways(from, to) : downwards(from, to);
  return {
    from: edge.from,
    to: edge.to,
    wires: edge.wires,
    forward: route(0.3, 1 / 4),
    backward: edge.grad ? reversed(route(0.7, 3 / 4)) : null,
    count: 1,
    headForward: true,
    headBackward: true,
  };
}

const downwards =
  (from: Rect, to: Rect) =>
  (_: number, lane: number): Curve =>
    vertical(from.x + from.w * lane, from.y + from.h, to.x + to.w * lane, to.y);

const sideways =
  (from: Rect, to: Rect) =>
  (share: number): Curve => {
    const y = from.y + from.h * share;
    const slot = Math.min(Math.max(y, to.y + 4), to.y + to.h - 4);
    return from.x < to.x ? straight(from.x + from.w, y, to.x, slot) : straight(from.x, y, to.x + to.w, slot);
  };
