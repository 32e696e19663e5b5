/**
 * Splits the visible graph into one small layout problem for each open module. An edge between modules becomes a chain
 * of segments: out of its module by a port on the lower border, across, and in by a port on the upper border. All users
 * of one tensor share the ports.
 */
import type { Edge, Module } from "../model/visible";
import type { Slim } from "./slim";

/** One end of a segment inside a frame: a child, or the frame's own border. */
export interface End {
  kind: "item" | "frame" | "in" | "out";
  /** Key of the child; for ports, the key of the source whose value passes through. */
  key: string;
  /** The port of a child frame; null for items. */
  port: string | null;
}

export interface Segment {
  frame: string;
  from: End;
  to: End;
  wires: string[];
  grad: boolean;
  /** The number of parallel lines: two for `a + a`. */
  count: number;
}

export interface Frame {
  module: Module;
  children: Frame[];
  segments: Segment[];
  /** Sources that enter at the top and leave at the bottom. */
  ins: Set<string>;
  outs: Set<string>;
}

export interface Plan {
  root: Frame;
  /** Frames that stand beside the picture. */
  lenses: Frame[];
  frames: Map<string, Frame>;
}

/** More parallel lines than this are drawn as one. */
const MOST_PARALLEL = 4;

export function makePlan(visible: Slim): Plan {
  const frames = new Map<string, Frame>();
  const root = openFrames(visible.root, frames);
  const lenses = visible.lenses.map((module) => openFrames(module, frames));
  const segments = new Map<string, Segment>();
  for (const edge of visible.edges) {
    if (edge.rank !== undefined) continue;
    cut(edge, chains(edge, visible), frames, segments);
  }
  return { root, lenses, frames };
}

function openFrames(module: Module, frames: Map<string, Frame>): Frame {
  const frame: Frame = { module, children: [], segments: [], ins: new Set(), outs: new Set() };
  frames.set(module.key, frame);
  for (const inner of module.modules) if (!inner.folded) frame.children.push(openFrames(inner, frames));
  return frame;
}

/** The frames that a line leaves and those that it enters; in a lens, the other end is the lens's border. */
interface Chains {
  up: string[];
  down: string[];
  /** The end that lies outside of the lens. */
  outside: "from" | "to" | null;
}

function chains(edge: Edge, visible: Slim): Chains {
  const up = chain(visible, edge.from);
  const down = chain(visible, edge.to);
  if (edge.lens !== undefined && up.at(-1) !== edge.lens) return { up: [], down, outside: "from" };
  if (edge.lens !== undefined && down.at(-1) !== edge.lens) return { up, down: [], outside: "to" };
  while (up.length > 1 && down.length > 1 && up[up.length - 2] === down[down.length - 2]) {
    up.pop();
    down.pop();
  }
  return { up, down, outside: null };
}

function cut(
  edge: Edge,
  { up, down, outside }: Chains,
  frames: Map<string, Frame>,
  segments: Map<string, Segment>,
): void {
  const add = (frame: string, from: End, to: End): void => {
    const name = `${frame}|${from.kind}${from.key}${from.port ?? ""}|${to.kind}${to.key}${to.port ?? ""}`;
    let segment = segments.get(name);
    if (!segment) {
      segment = { frame, from, to, wires: [], grad: false, count: 1 };
      segments.set(name, segment);
      frames.get(frame)!.segments.push(segment);
    }
    segment.wires.push(...edge.wires);
    segment.grad ||= edge.grad;
    const few = edge.wires.length > 1 && edge.wires.length <= MOST_PARALLEL;
    if (from.kind === "item" && to.kind === "item" && few && sameOp(edge.wires)) {
      segment.count = edge.wires.length;
    }
  };
  const source = edge.from;
  let from: End = { kind: "item", key: source, port: null };
  for (const frame of outside === "to" ? up : up.slice(0, -1)) {
    frames.get(frame)!.outs.add(source);
    add(frame, from, { kind: "out", key: source, port: null });
    from = { kind: "frame", key: frame, port: source };
  }
  if (outside === "to") return;
  let at = outside === "from" ? down.at(-1)! : up.at(-1)!;
  if (outside === "from") {
    frames.get(at)!.ins.add(source);
    from = { kind: "in", key: source, port: null };
  }
  for (const frame of down.slice(0, -1).reverse()) {
    frames.get(frame)!.ins.add(source);
    add(at, from, { kind: "frame", key: frame, port: source });
    from = { kind: "in", key: source, port: null };
    at = frame;
  }
  add(at, from, { kind: "item", key: edge.to, port: null });
}

/** The frames around an item, from the innermost out. */
function chain(visible: Slim, key: string): string[] {
  const out: string[] = [];
  let module: Module | null | undefined = visible.modules.get(visible.items.get(key)!.frame);
  for (; module; module = module.lens ? null : module.parent) out.push(module.key);
  return out;
}

const sameOp = (wires: string[]): boolean => new Set(wires.map((w) => w.split(".")[0])).size === 1;

/** Pills beside their op need no route from the solver. */
export const beside = (segment: Segment, frame: Frame): boolean =>
  segment.from.kind === "item" &&
  frame.module.items.some((i) => i.key === segment.from.key && i.host !== null && i.host === segment.to.key);

/** All pills on the same side of the same op, from top to bottom. */
export function besideSame(segment: Segment, frame: Frame): string[] {
  const items = frame.module.items;
  const side = items.find((i) => i.key === segment.from.key)?.side;
  return items.filter((i) => i.host === segment.to.key && i.side === side).map((i) => i.key);
}
