/** Draws what runs between items: data down in blue, gradients up in orange, once for every use. */
import { type Curve, pointAt } from "../layout/geometry";
import type { PlacedEdge } from "../layout/compose";
import { cell, number } from "../model/format";
import type { Sent } from "../model/state";
import { norm, scalar } from "../model/values";
import { faded } from "../theme/colour";
import { DETAIL } from "../theme/scale";
import type { Brush, Context } from "./brush";
import { widthOf, write } from "./text";

interface WireState {
  ran: boolean;
  sent: Sent | null;
}

function wireState(brush: Brush, wire: string): WireState {
  const dot = wire.indexOf(".");
  const id = brush.graph.nodeIds[Number(wire.slice(0, dot)) - 1];
  const node = id === undefined ? undefined : brush.state.nodes.get(id);
  return { ran: node !== undefined, sent: node?.sent.get(Number(wire.slice(dot + 1))) ?? null };
}

/** A line stands out with both of its true ends, wherever in the frames between them this piece of it lies. */
function standsOut(brush: Brush, edge: PlacedEdge): boolean {
  const { found, graph, visible } = brush;
  if (!found) return true;
  const has = (key: string): boolean => found.has(visible.shown.get(key) ?? key);
  return edge.wires.some((w) => {
    const [ordinal, index] = w.split(".").map(Number);
    const wire = graph.wires.get(graph.nodeIds[ordinal! - 1] ?? -1)?.[index!];
    if (!wire) return false;
    const source = wire.from ? graph.opKey(wire.from.node) : wire.leaf !== null ? graph.leafKey(wire.leaf) : "";
    return has(`n${ordinal}`) && has(source);
  });
}

const statesOf = (brush: Brush, edge: PlacedEdge): WireState[] => edge.wires.map((w) => wireState(brush, w));

const isNow = (brush: Brush, sent: Sent): boolean => sent.seq === brush.event?.seq;

/** All that decides how a line looks, apart from its place: equal traits, equal lines. */
export function edgeTraits(brush: Brush, edge: PlacedEdge): unknown[] {
  const states = statesOf(brush, edge).flatMap(({ ran, sent }) => [ran, sent, sent !== null && isNow(brush, sent)]);
  return [edge.count, edge.headForward, edge.headBackward, ...states];
}

export function drawEdge(brush: Brush, edge: PlacedEdge): void {
  const { context } = brush;
  const states = statesOf(brush, edge);
  context.globalAlpha = standsOut(brush, edge) ? 1 : 0.15;
  if (edge.count > 1) {
    states.forEach((state, i) => drawWire(brush, edge, [state], (i - (edge.count - 1) / 2) * 7));
  } else drawWire(brush, edge, states, 0);
  context.globalAlpha = 1;
}

function drawWire(brush: Brush, edge: PlacedEdge, states: WireState[], offset: number): void {
  const { palette, context, zoom } = brush;
  const ran = states.some((s) => s.ran);
  const heads = zoom > DETAIL.box;
  context.lineWidth = Math.max(1.5, 0.9 / zoom);
  context.strokeStyle = ran ? faded(palette.value, 0.8) : palette.line;
  if (!ran) context.setLineDash([3, 4]);
  trace(context, edge.forward, offset);
  context.setLineDash([]);
  if (heads && ran && edge.headForward) arrow(context, edge.forward, offset, faded(palette.value, 0.9));
  if (!edge.backward || !ran) return;
  const sent = states.map((s) => s.sent).filter((s): s is Sent => s !== null);
  if (sent.length === 0) {
    context.strokeStyle = palette.strong;
    context.lineWidth = Math.max(1.2, 0.7 / zoom);
    context.setLineDash([2.5, 4]);
    trace(context, edge.backward, offset);
    context.setLineDash([]);
    return;
  }
  const now = sent.some((s) => isNow(brush, s));
  context.strokeStyle = palette.gradient;
  context.lineWidth = Math.max(now ? 3.2 : 1.9, (now ? 2 : 1) / zoom);
  trace(context, edge.backward, offset);
  if (heads && edge.headBackward) arrow(context, edge.backward, offset, palette.gradient);
}

/** The gradients on their way, written over all lines. */
export function drawLabels(brush: Brush, edge: PlacedEdge): void {
  if (brush.zoom < 0.7 || !edge.backward || !edge.headBackward) return;
  if (!standsOut(brush, edge)) return;
  const sent = statesOf(brush, edge).map((s) => s.sent);
  if (edge.count > 1) {
    sent.forEach((s, i) => s && label(brush, edge.backward!, s, (i - (edge.count - 1) / 2) * 7));
    return;
  }
  const first = sent.find((s) => s !== null);
  if (first) label(brush, edge.backward, first, 0);
}

/** Lines for two uses of one tensor run side by side. */
function trace(context: Context, curve: Curve, offset: number): void {
  const [ox, oy] = aside(curve, offset);
  context.beginPath();
  context.moveTo(curve[0]! + ox, curve[1]! + oy);
  for (let i = 2; i < curve.length; i += 6) {
    const p = (k: number): number => curve[i + k]! + (k % 2 === 0 ? ox : oy);
    context.bezierCurveTo(p(0), p(1), p(2), p(3), p(4), p(5));
  }
  context.stroke();
}

function aside(curve: Curve, offset: number): [number, number] {
  if (offset === 0) return [0, 0];
  const level = Math.abs(curve[0]! - curve[curve.length - 2]!) > Math.abs(curve[1]! - curve[curve.length - 1]!);
  return level ? [0, offset] : [offset, 0];
}

const HEAD = 8;

function arrow(context: Context, curve: Curve, offset: number, colour: string): void {
  const [ox, oy] = aside(curve, offset);
  const n = curve.length;
  const [x, y] = [curve[n - 2]! + ox, curve[n - 1]! + oy];
  let [dx, dy] = [curve[n - 2]! - curve[n - 4]!, curve[n - 1]! - curve[n - 3]!];
  if (dx === 0 && dy === 0) [dx, dy] = [curve[n - 2]! - curve[n - 8]!, curve[n - 1]! - curve[n - 7]!];
  const angle = Math.atan2(dy, dx);
  const wing = (side: number): [number, number] => [
    x - HEAD * Math.cos(angle + side * 0.42),
    y - HEAD * Math.sin(angle + side * 0.42),
  ];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(...wing(1));
  context.lineTo(...wing(-1));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

/** The gradient on its way: the number of a scalar, else the norm and a small histogram. */
function label(brush: Brush, curve: Curve, sent: Sent, offset: number): void {
  const value = sent.value;
  if (!value) return;
  const { context, palette } = brush;
  const single = scalar(value);
  const length = norm(value);
  const level = Math.abs(curve[1]! - curve[curve.length - 1]!) < Math.abs(curve[0]! - curve[curve.length - 2]!);
  const amount = single ?? length;
  if (amount === null) return;
  const text = level ? cell(amount) : single !== null ? number(single, 3) : `‖${number(amount, 3)}‖`;
  const [x, y] = pointAt(curve, 0.5);
  const width = widthOf(context, text, "tiny");
  const colour = palette.gradientInk;
  if (level) {
    const below = offset >= 0 ? y + offset + 12 : y + offset - 4;
    write(context, text, x, below, { font: "tiny", colour, align: "center" });
    return;
  }
  const left = offset < 0;
  const at = left ? x + offset - 7 - width : x + offset + 7;
  const spark = single === null && !left && value.hist && (value.rows ?? 0) * (value.cols ?? 0) > 8 ? 36 : 0;
  context.fillStyle = faded(palette.bg, 0.85);
  context.fillRect(at - 2, y - 7, width + 4 + spark, 14);
  write(context, text, at, y + 3.5, { font: "tiny", colour });
  if (spark > 0) sparkline(brush, value.hist!, at + width + 5, y - 6);
}

function sparkline(brush: Brush, bins: readonly number[], x: number, y: number): void {
  const { context, palette } = brush;
  const groups = 16;
  const sums = Array.from({ length: groups }, (_, g) => {
    const each = bins.length / groups;
    return bins.slice(Math.floor(g * each), Math.floor((g + 1) * each)).reduce((a, b) => a + b, 0);
  });
  const most = Math.max(1, ...sums);
  context.fillStyle = faded(palette.gradient, 0.6);
  sums.forEach((n, i) => {
    const h = Math.max(n > 0 ? 1 : 0, (n / most) * 11);
    context.fillRect(x + i * 2, y + 11 - h, 1.5, h);
  });
}
