/** Solves the layout of every frame from the inside out, then puts all frames into one world. */
import { CARD, FRAME, GAP, LANES, LENS, PILL, SMALL_CARD, SMALL_GAP } from "../theme/scale";
import { isLane, isRank, type Item, ROOT } from "../model/module";
import { inColumns, type Room } from "./columns";
import { type Curve, lineTo, type Rect, reversed, shifted, straight } from "./geometry";
import { beside, besideSame, type Frame, makePlan, type Plan, type Segment } from "./plan";
import { packed } from "./packing";
import { boundsOf, edgeOf, type PlacedEdge, sideways } from "./placed";
import type { Block, Lane, Link, Problem, Solution } from "./problem";
import { inRanks, placeCollectives } from "./ranks";
import type { Visible } from "../model/visible";
import { type Slim, slim } from "./slim";
import { stripSize } from "./strip";

export type { PlacedEdge };

export interface Placement {
  /** The place of each item and each open frame. */
  boxes: Map<string, Rect>;
  edges: PlacedEdge[];
  bounds: Rect;
}

export type Solver = (problem: Problem) => Solution;

interface Child {
  key: string;
  block: Block;
  /** The card or frame inside the block, and the pills beside it. */
  parts: { key: string; rect: Rect }[];
  inPorts: Map<string, number>;
  outPorts: Map<string, number>;
}

interface Solved {
  frame: Frame;
  /** Graphs of gradients are beside the picture that they belong to, so that it does not move when they grow. */
  lanes: Child[];
  /** Ranks are also side by side, in their own order, before everything else. */
  ranks: Child[];
  children: Child[];
  problem: Problem;
  solution: Solution;
  segments: Segment[];
  /** The distance by which the contents are moved up into the frame's head. */
  rise: number;
  w: number;
  h: number;
}

const ONLY = "";

export function compose(picture: Slim | Visible, solve: Solver): Placement {
  const visible = "lenses" in picture ? picture : slim(picture);
  const plan = makePlan(visible);
  const solved = new Map<string, Solved>();
  const room = visible.room && { ...visible.room, packed: visible.packed };
  const beside = room && plan.lenses.length > 0 ? { ...room, w: room.w - CARD.width - LENS } : room;
  for (const lens of plan.lenses) solveFrame(lens, plan, solve, solved, beside);
  const widest = Math.max(0, ...plan.lenses.map((lens) => solved.get(lens.module.key)!.w + LENS));
  solveFrame(plan.root, plan, solve, solved, room && { ...room, w: room.w - (visible.narrow ? 0 : widest) });
  const placement: Placement = { boxes: new Map(), edges: [], bounds: { x: 0, y: 0, w: 0, h: 0 } };
  place(solved.get(plan.root.module.key)!, solved, 0, 0, placement);
  placeLenses(plan, visible, solved, placement);
  placement.edges.push(...placeCollectives(visible, placement.boxes));
  placement.bounds = boundsOf(placement);
  return placement;
}

/** Places each lens beside the card of its stack; a lens inside another lens is one column further out. */
function placeLenses(plan: Plan, visible: Slim, solved: Map<string, Solved>, out: Placement): void {
  const bottoms = new Map<number, number>();
  const columns = new Map<string, number>();
  for (const { module } of plan.lenses) {
    const stack = stackOf(module.key, visible);
    const home = stack && out.boxes.get(stack.frame);
    const column = (stack ? (columns.get(lensOf(stack.frame, visible)) ?? 0) : 0) + 1;
    columns.set(module.key, column);
    const lens = solved.get(module.key)!;
    const all = boundsOf({ boxes: out.boxes, edges: [] });
    const card = (stack && out.boxes.get(stack.key)) ?? home ?? all;
    const least = bottoms.get(column) ?? all.y;
    const middle = card.y + card.h / 2 - lens.h / 2;
    const y = visible.narrow ? all.y + all.h + LENS : Math.max(least, Math.min(middle, all.y + all.h - lens.h));
    const rights = [...out.boxes].flatMap(([key, r]) =>
      (columns.get(lensOf(key, visible)) ?? 0) < column && key !== module.key ? [r.x + r.w] : [],
    );
    const x = visible.narrow ? all.x : Math.max(...rights, 0) + LENS;
    out.boxes.set(module.key, { x, y, w: lens.w, h: lens.h });
    place(lens, solved, x, y, out);
    bottoms.set(column, y + lens.h + LENS / 2);
  }
}

/** The card of the stack whose instance a lens shows. */
function stackOf(lens: string, visible: Slim): Item | null {
  const key = visible.stacks.get(lens);
  return (key !== undefined && visible.items.get(key)) || null;
}

/** The lens that contains a box; "" for the picture itself. */
function lensOf(key: string, visible: Slim): string {
  const frame = visible.items.get(key)?.frame ?? key;
  for (let m = visible.modules.get(frame) ?? null; m; m = m.parent) if (m.lens) return m.key;
  return "";
}

function solveFrame(
  frame: Frame,
  plan: Plan,
  solve: Solver,
  solved: Map<string, Solved>,
  room: Room | null = null,
): void {
  for (const inner of frame.children) solveFrame(inner, plan, solve, solved, room && roomWithin(room, frame));
  const all = childrenOf(frame, solved);
  const lanes = all.filter((c) => isLane(c.key));
  const ranks = all.filter((c) => isRank(c.key));
  const children = all.filter((c) => !isLane(c.key) && !isRank(c.key));
  const index = new Map(children.flatMap((c, i) => [[c.key, i] as const, ...c.parts.map((p) => [p.key, i] as const)]));
  const known = (s: Segment): boolean => index.has(fromOf(s)) && index.has(toOf(s));
  const segments = frame.segments.filter((s) => !beside(s, frame) && !crosses(s) && known(s));
  const links = segments.map((s) => linkOf(s, children, index));
  const tight = frame.module.items.some((item) => item.small);
  const problem: Problem = { ...(tight && { tight }), blocks: children.map((c) => c.block), links };
  const solution = children.length > 0 ? fitted(problem, solve(problem), room) : NO_SOLUTION;
  const root = frame.module.parent === null;
  const pad = root ? 0 : FRAME.pad;
  const rise = root ? 0 : headroom(children, solution);
  solved.set(frame.module.key, {
    frame,
    rise,
    lanes,
    ranks,
    children,
    problem,
    solution,
    segments,
    w: solution.w + 2 * pad,
    h: solution.h - rise + (root ? 0 : FRAME.head),
  });
}

function fitted(problem: Problem, solution: Solution, room: Room | null): Solution {
  const columns = inColumns(problem, solution, room);
  return room?.packed ? packed(problem, columns, room) : columns;
}

/** The room that a frame leaves for its inner frame: what its other contents do not need, if that is little. */
function roomWithin({ w, h, packed, least = LEAST_WITHIN * h }: Room, { module, children }: Frame): Room {
  const ops = module.items.filter(({ host }) => host === null).length;
  const rest = ops * (CARD.height + 2 * GAP.block + GAP.rank);
  const apart = children.filter(({ module: { key } }) => isLane(key) || isRank(key)).length;
  const across = (w - 2 * FRAME.pad) / Math.max(1, apart + (apart < children.length && apart > 0 ? 1 : 0));
  return { w: across, h: Math.max(least, h - FRAME.head - 2 * GAP.frame - rest), least, packed };
}

/** An inner frame may always be this tall, as a part of the pane. */
const LEAST_WITHIN = 0.6;

/** How far the ports at the top may reach into the frame's head without a block being there. */
function headroom(children: Child[], solution: Solution): number {
  const tops = children.flatMap((c, i) => (c.block.rank === "first" ? [] : [solution.at[i]!.y]));
  return Math.min(FRAME.rise, ...tops);
}

const NO_SOLUTION: Solution = { w: 0, h: 0, at: [], forward: [], backward: [] };

const crosses = (s: Segment): boolean => s.frame === ROOT && (isLane(s.from.key) || isLane(s.to.key));

function childrenOf(frame: Frame, solved: Map<string, Solved>): Child[] {
  const pills = new Map<string, Item[]>();
  for (const item of frame.module.items) {
    if (item.host) pills.set(item.host, [...(pills.get(item.host) ?? []), item]);
  }
  const children = [
    ...frame.module.items
      .filter((i) => i.host === null && i.kind !== "collective")
      .map((i) => itemChild(i, pills.get(i.key) ?? [])),
    ...frame.children.map((inner) => frameChild(solved.get(inner.module.key)!)),
  ].sort((a, b) => first(frame, a.key) - first(frame, b.key));
  const ins = [...frame.ins].map((key) => portChild(`in ${key}`, "first"));
  const outs = [...frame.outs].map((key) => portChild(`out ${key}`, "last"));
  return [...ins, ...children, ...outs];
}

/** When a child first took part: ops are numbered from 1 in the order they ran, within a rank. */
function first(frame: Frame, key: string): number {
  if (key.startsWith("n")) return Number.parseInt(key.slice(1));
  return frame.module.modules.find((m) => m.key === key)?.first ?? -1;
}

function itemChild(item: Item, pills: Item[]): Child {
  const left = pills.filter((p) => p.side === "left");
  const right = pills.filter((p) => p.side === "right");
  const reach = PILL.width + PILL.distance;
  const ox = left.length > 0 ? reach : 0;
  const stack = (list: Item[]): number => Math.max(0, list.length * (PILL.height + PILL.gap) - PILL.gap);
  const card = cardSize(item);
  const inner = Math.max(card.h, stack(left), stack(right));
  const h = inner + 2 * (item.small ? SMALL_GAP : GAP).block;
  const w = ox + card.w + (right.length > 0 ? reach : 0);
  const parts: Child["parts"] = [{ key: item.key, rect: { x: ox, y: (h - card.h) / 2, ...card } }];
  const pile = (list: Item[], x: number): void =>
    list.forEach((pill, i) => {
      const y = (h - stack(list)) / 2 + i * (PILL.height + PILL.gap);
      parts.push({ key: pill.key, rect: { x, y, w: PILL.width, h: PILL.height } });
    });
  pile(left, 0);
  pile(right, ox + card.w + PILL.distance);
  const wide = item.cells === undefined ? card.w : CARD.width;
  const lane = { f: ox + wide / 4, b: ox + (3 * wide) / 4 };
  const block: Block = { w, h, ins: [lane], outs: [lane], rank: null };
  return { key: item.key, block, parts, inPorts: new Map([[ONLY, 0]]), outPorts: new Map([[ONLY, 0]]) };
}

/** The size of an item. */
export function cardSize(item: Pick<Item, "cells" | "small">): { w: number; h: number } {
  if (item.cells !== undefined) return stripSize(item.cells);
  const { width: w, height: h } = item.small ? SMALL_CARD : CARD;
  return { w, h };
}

function frameChild(inner: Solved): Child {
  const ports = (prefix: "in" | "out"): { lanes: Lane[]; names: Map<string, number> } => {
    const lanes: Lane[] = [];
    const names = new Map<string, number>();
    inner.children.forEach((child, i) => {
      if (!child.key.startsWith(`${prefix} `)) return;
      const x = FRAME.pad + inner.solution.at[i]!.x;
      const lane = child.block.outs[0] ?? child.block.ins[0]!;
      names.set(child.key.slice(prefix.length + 1), lanes.length);
      lanes.push({ f: x + lane.f, b: x + lane.b });
    });
    return { lanes, names };
  };
  const ins = ports("in");
  const outs = ports("out");
  const rect = { x: 0, y: GAP.frame, w: inner.w, h: inner.h };
  return {
    key: inner.frame.module.key,
    block: { w: inner.w, h: inner.h + 2 * GAP.frame, ins: ins.lanes, outs: outs.lanes, rank: null },
    parts: [{ key: inner.frame.module.key, rect }],
    inPorts: ins.names,
    outPorts: outs.names,
  };
}

function portChild(key: string, rank: "first" | "last"): Child {
  const lane = { f: 2, b: LANES + 2 };
  const block: Block = {
    w: LANES + 4,
    h: 4,
    ins: rank === "last" ? [lane] : [],
    outs: rank === "first" ? [lane] : [],
    rank,
  };
  return { key, block, parts: [], inPorts: new Map([[ONLY, 0]]), outPorts: new Map([[ONLY, 0]]) };
}

const fromOf = ({ from }: Segment): string => (from.kind === "in" ? `in ${from.key}` : from.key);
const toOf = ({ to }: Segment): string => (to.kind === "out" ? `out ${to.key}` : to.key);

function linkOf(segment: Segment, children: Child[], index: Map<string, number>): Link {
  const { from, to } = segment;
  const a = index.get(fromOf(segment))!;
  const b = index.get(toOf(segment))!;
  return {
    from: a,
    out: children[a]!.outPorts.get(from.port ?? ONLY) ?? 0,
    to: b,
    in: children[b]!.inPorts.get(to.port ?? ONLY) ?? 0,
    grad: segment.grad,
  };
}

function place(solved: Solved, all: Map<string, Solved>, x: number, y: number, out: Placement): void {
  const { frame, solution, children } = solved;
  const root = frame.module.parent === null;
  const [dx, dy] = root ? [x + placeRanks(solved, all, out), y] : [x + FRAME.pad, y + FRAME.head - solved.rise];
  children.forEach((child, i) => {
    const at = solution.at[i]!;
    for (const { key, rect } of child.parts) {
      const box = { x: dx + at.x + rect.x, y: dy + at.y + rect.y, w: rect.w, h: rect.h };
      out.boxes.set(key, box);
      const inner = all.get(key);
      if (inner) place(inner, all, box.x, box.y, out);
    }
  });
  placeLanes(solved, all, out, dx);
  const border = { top: y, bottom: y + solved.h };
  solved.segments.forEach((segment, i) => {
    const curve = (c: Curve | null): Curve | null =>
      c && joined(shifted(c, dx, dy), segment, border, out.boxes, children);
    const forward = curve(solution.forward[i]!)!;
    const backward = curve(solution.backward[i]!);
    const edge = edgeOf(segment, forward, backward && reversed(backward));
    if (frame.module.lens && segment.from.kind === "in") edge.stub = "in";
    if (frame.module.lens && segment.to.kind === "out") edge.stub = "out";
    out.edges.push(edge);
  });
  for (const segment of frame.segments) {
    if (beside(segment, frame)) out.edges.push(sideways(segment, out.boxes, besideSame(segment, frame)));
  }
}

/** The width of all of them. */
function placeRanks(solved: Solved, all: Map<string, Solved>, out: Placement): number {
  const lanes = solved.ranks.map(({ key, block }) => ({ key, w: block.w, h: laneHeight(key, block, all) }));
  const { boxes, width } = inRanks(lanes);
  for (const [key, box] of boxes) {
    out.boxes.set(key, box);
    const inner = all.get(key);
    if (inner) place(inner, all, box.x, box.y, out);
  }
  return width;
}

const laneHeight = (key: string, block: Block, all: Map<string, Solved>): number =>
  all.get(key)?.h ?? block.h - 2 * GAP.block;

function placeLanes(solved: Solved, all: Map<string, Solved>, out: Placement, from: number): void {
  let x = from + solved.solution.w + GAP.lane;
  for (const lane of solved.lanes) {
    const { w } = lane.block;
    const box = { x, y: 0, w, h: laneHeight(lane.key, lane.block, all) };
    out.boxes.set(lane.key, box);
    const inner = all.get(lane.key);
    if (inner) place(inner, all, box.x, box.y, out);
    x += w + GAP.lane;
  }
  for (const segment of solved.frame.segments) {
    if (crosses(segment)) out.edges.push(across(segment, solved, out.boxes));
  }
}

/**
 * A connection between a lane and the rest is drawn as a short line into its head, or into the card that uses the
 * lane's result, with the name of the other end. Full lines across the picture would cross everything in it.
 */
function across(segment: Segment, solved: Solved, boxes: Map<string, Rect>): PlacedEdge {
  const to = boxes.get(segment.to.key)!;
  const lane = solved.lanes.find((c) => c.key === segment.to.key);
  const port = lane?.block.ins[lane.inPorts.get(segment.to.port ?? ONLY) ?? 0] ?? CARD_STUB;
  const length = lane ? LANE_STUB : GAP.rank;
  const down = (at: number): Curve => straight(to.x + at, to.y - length, to.x + at, to.y);
  const backward = segment.grad ? reversed(down(port.b)) : null;
  return { ...edgeOf(segment, down(port.f), backward), headBackward: true, stub: "in" };
}

/** A gradient's number is beside its line, and the name of the other end is above it. */
const LANE_STUB = 40;
/** Beside the lines that arrive from above. */
const CARD_STUB: Lane = { f: 24, b: CARD.width - 24 };

/** Extends a route to the borders of its ends: cards are lower than blocks with many pills, and ports are inside. */
function joined(
  curve: Curve,
  segment: Segment,
  border: { top: number; bottom: number },
  boxes: Map<string, Rect>,
  children: Child[],
): Curve {
  const { from, to } = segment;
  const startX = curve[0]!;
  const startY = from.kind === "in" ? border.top : bottomOf(cardOf(from.key, children, boxes));
  const whole = [startX, startY];
  lineTo(whole, startX, curve[1]!);
  whole.push(...curve.slice(2));
  const endX = whole[whole.length - 2]!;
  lineTo(whole, endX, to.kind === "out" ? border.bottom : boxes.get(to.key)!.y);
  return whole;
}

/** A pill beside its op sends values to other ops through the op's own port. */
function cardOf(key: string, children: Child[], boxes: Map<string, Rect>): Rect {
  const child = children.find((c) => c.parts.some((p) => p.key === key));
  return boxes.get(child?.parts[0]?.key ?? key)!;
}

const bottomOf = (rect: Rect): number => rect.y + rect.h;
