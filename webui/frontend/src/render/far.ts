/** At very low zoom, thousands of items are drawn in a few colours: one path for each colour, without numbers. */
import type { PlacedEdge } from "../layout/compose";
import type { Curve, Rect } from "../layout/geometry";
import { cardOf } from "../model/card";
import type { Item } from "../model/visible";
import { faded } from "../theme/colour";
import { fillOf, markOfItem } from "./overlay";
import type { Brush, Context } from "./brush";

export function drawFarEdges(brush: Brush, edges: readonly PlacedEdge[]): void {
  const { context, palette, zoom } = brush;
  context.lineWidth = 0.9 / zoom;
  context.beginPath();
  for (const edge of edges) along(context, edge.forward);
  context.strokeStyle = faded(palette.value, 0.55);
  context.stroke();
  context.beginPath();
  for (const edge of edges) if (edge.backward && wasSent(brush, edge)) along(context, edge.backward);
  context.strokeStyle = faded(palette.gradient, 0.8);
  context.stroke();
}

/** Whether a gradient was sent, judged by the first wire. */
function wasSent(brush: Brush, edge: PlacedEdge): boolean {
  const [key, index] = (edge.wires[0] ?? "").split(".");
  const id = brush.graph.nodeOfKey(key!);
  return id !== null && (brush.state.nodes.get(id)?.sent.has(Number(index)) ?? false);
}

function along(context: Context, curve: Curve): void {
  context.moveTo(curve[0]!, curve[1]!);
  for (let i = 2; i < curve.length; i += 6) context.lineTo(curve[i + 4]!, curve[i + 5]!);
}

export function drawFarItems(brush: Brush, items: readonly { item: Item; rect: Rect }[]): void {
  const { context } = brush;
  const byColour = new Map<string, Rect[]>();
  for (const { item, rect } of items) {
    const dim = brush.found !== null && !brush.found.has(item.key);
    const colour = dim ? brush.palette.line : colourOf(brush, item);
    const list = byColour.get(colour);
    if (list) list.push(rect);
    else byColour.set(colour, [rect]);
  }
  for (const [colour, rects] of byColour) {
    context.beginPath();
    for (const r of rects) context.rect(r.x, r.y, r.w, r.h);
    context.fillStyle = colour;
    context.fill();
  }
}

function colourOf(brush: Brush, item: Item): string {
  const { palette, state } = brush;
  const mark = markOfItem(brush, item);
  if (mark) return fillOf(mark, brush) ?? palette.line;
  if (item.kind === "module" || item.kind === "collective") {
    const card = cardOf(item, brush.graph, brush.visible, state);
    if (card.trouble !== "") return palette.error;
    if (card.phase === "absent") return palette.line;
    return card.phase === "done" || card.phase === "running" ? palette.gradient : faded(palette.value, 0.7);
  }
  if (item.kind === "leaf") {
    const tensor = state.tensors.get(item.id);
    return !tensor ? palette.line : tensor.grad || tensor.arrived.length > 0 ? palette.leaf : palette.strong;
  }
  const node = state.nodes.get(item.id);
  if (!node) return palette.line;
  if (node.anomalies.length > 0) return palette.error;
  return node.entered ? palette.gradient : faded(palette.value, 0.7);
}
