/** Draws collectives: a bar, and a cable from what each rank gave. */
import type { PlacedEdge } from "../layout/compose";
import { type Rect, reversed } from "../layout/geometry";
import type { Card } from "../model/card";
import { faded } from "../theme/colour";
import { CARD, DETAIL } from "../theme/scale";
import { box, type Brush } from "./brush";
import { arrow, trace } from "./edges";
import { write } from "./text";

export function drawCollective(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  box(context, rect, CARD.radius);
  context.fillStyle = card.phase === "running" ? palette.highlight : palette.card;
  context.fill();
  context.fillStyle = faded(palette.gradient, 0.1);
  context.fill();
  context.strokeStyle = palette.gradient;
  context.lineWidth = card.phase === "running" ? 2 : 1.4;
  context.stroke();
  if (brush.zoom < DETAIL.text) return;
  const [left, right] = [rect.x + CARD.pad, rect.x + rect.w - CARD.pad];
  const end =
    right - write(context, card.number, right, rect.y + 21, { font: "tiny", colour: palette.dim, align: "right" });
  const x = left + write(context, card.title, left, rect.y + 21, { font: "title", colour: palette.ink }) + 8;
  write(context, card.detail, x, rect.y + 21, { font: "small", colour: palette.dim, room: end - x - 8 });
  write(context, card.name, left, rect.y + 40, { font: "mono", colour: palette.gradientInk, room: right - left });
}

/** The cable in both directions: down what the rank gave, up the result. */
export function drawCable(brush: Brush, edge: PlacedEdge): void {
  const { context, palette, zoom, state, graph, event } = brush;
  const told = graph.collectives.ofKey(edge.to)?.members.find((m) => (m.rank ?? 0) === edge.rank);
  const ran = told !== undefined && told.seq <= state.seq;
  const now = ran && event?.seq === told.seq;
  context.lineWidth = Math.max(now ? 3.2 : 1.9, (now ? 2 : 1) / zoom);
  context.strokeStyle = ran ? palette.gradient : palette.strong;
  if (!ran) context.setLineDash([2.5, 4]);
  trace(brush, edge.forward, 0);
  context.setLineDash([]);
  if (!ran || zoom <= DETAIL.box) return;
  arrow(context, edge.forward, 0, palette.gradient);
  arrow(context, reversed(edge.forward), 0, palette.leaf);
}
