/** The lanes of ranks side by side, in the order of rank, and their collectives below and between them. */
import { isRank, rankOf } from "../model/module";
import { COLLECTIVE, GAP } from "../theme/scale";
import { type Curve, lineTo, type Rect } from "./geometry";
import type { PlacedEdge } from "./placed";
import type { Slim } from "./slim";

export interface LaneBox {
  key: string;
  w: number;
  h: number;
}

/** The place of each lane, and the total width including the room between and beside them. */
export function inRanks(lanes: readonly LaneBox[]): { boxes: Map<string, Rect>; width: number } {
  const boxes = new Map<string, Rect>();
  let x = 0;
  for (const { key, w, h } of [...lanes].sort((a, b) => rankOf(a.key) - rankOf(b.key))) {
    boxes.set(key, { x, y: 0, w, h });
    x += w + GAP.lane;
  }
  return { boxes, width: x };
}

/** A bar below all lanes for each collective, and a cable from what each rank gave, down beside its lane. */
export function placeCollectives(visible: Slim, boxes: Map<string, Rect>): PlacedEdge[] {
  const bars = [...visible.items.values()].filter((item) => item.kind === "collective");
  const lanes = [...boxes].filter(([key]) => isRank(key)).map(([, rect]) => rect);
  if (bars.length === 0 || lanes.length === 0) return [];
  const right = Math.max(...lanes.map((lane) => lane.x + lane.w)) + COLLECTIVE.reach * (bars.length + 1);
  let y = Math.max(...lanes.map((lane) => lane.y + lane.h)) + COLLECTIVE.gap;
  const left = Math.min(...lanes.map((lane) => lane.x));
  for (const { key } of bars) {
    boxes.set(key, { x: left, y, w: right - left, h: COLLECTIVE.height });
    y += COLLECTIVE.height + COLLECTIVE.gap / 2;
  }
  const order = new Map(bars.map(({ key }, place) => [key, place]));
  return visible.edges.flatMap((edge): PlacedEdge[] => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    const lane = from && lanes.find((one) => from.x >= one.x && from.x < one.x + one.w);
    if (edge.rank === undefined || !from || !to || !lane) return [];
    const x = lane.x + lane.w + COLLECTIVE.reach * (order.get(edge.to)! + 1);
    const ends = { wires: [], backward: null, count: 1, headForward: true, headBackward: false, rank: edge.rank };
    return [{ from: edge.from, to: edge.to, forward: cable(from, x, to), ...ends }];
  });
}

const CORNER = 14;

/** A line out to the side, around a corner, and down. */
function cable(from: Rect, x: number, to: Rect): Curve {
  const y = from.y + from.h / 2;
  const curve: Curve = [from.x + from.w, y];
  lineTo(curve, x - CORNER, y);
  curve.push(x, y, x, y, x, y + CORNER);
  lineTo(curve, x, to.y);
  return curve;
}
