/** Draws boxes and lines in the colour of an amount; those without an amount have no colour. */
import type { PlacedEdge } from "../layout/compose";
import type { Curve, Rect } from "../layout/geometry";
import { instancesOf, rangeName } from "../layout/strip";
import type { Card } from "../model/card";
import { type Lane, type Mark, markOf, type Metric, ofInstances, ofItem, ofWires, type Range } from "../model/overlay";
import { together, widthOf as widthOfLine } from "../model/overlay";
import type { Item } from "../model/visible";
import { amountColour, css, errorRgb, inkOn, type Palette } from "../theme/colour";
import { DETAIL, SMALL_CARD, STRIP } from "../theme/scale";
import { box, type Brush, captionScale } from "./brush";
import { PILE, radiusOf, stack } from "./cards";
import { arrow, trace } from "./edges";
import { ring } from "./strips";
import { readableScale, write } from "./text";
import { t } from "../language/text";

/** One hue for each metric, with the same meaning as elsewhere. */
export const HUES: Record<Metric, keyof Palette> = {
  gradient: "gradient",
  update: "leaf",
  bytes: "saved",
  time: "value",
  nonfinite: "error",
  change: "value",
};

export const markOfItem = ({ overlay, graph, visible, state }: Brush, item: Item): Mark | null =>
  overlay && markOf(ofItem(overlay.metric, item, graph, visible, state), overlay);

/** All that decides the look of an item in an overlay, apart from the range. */
export const overlayTraits = ({ overlay, graph, visible, state }: Brush, item: Item): unknown[] => {
  if (!overlay) return [];
  const cells =
    item.cells === undefined ? [] : ofInstances(overlay.metric, visible.modules.get(item.key)!, graph, state);
  return [ofItem(overlay.metric, item, graph, visible, state), ...cells];
};

/** Whether numbers are drawn on lines: they are gradients, so only with that colour. */
export const hasNumbers = ({ overlay }: Brush): boolean => overlay === null || overlay.metric === "gradient";

type Rgb = Parameters<typeof css>[0];

const rgbOf = (mark: Mark, { palette, overlay }: Brush): Rgb | null => {
  if (mark.broken) return errorRgb(palette);
  return mark.share === null ? null : amountColour(mark.share, HUES[overlay!.metric], palette);
};

export function fillOf(mark: Mark, brush: Brush): string | null {
  const rgb = rgbOf(mark, brush);
  return rgb && css(rgb);
}

/** Fills a box, and returns a colour that is readable on it. */
function ground(brush: Brush, mark: Mark, rect: Rect, radius: number): string {
  const { context, palette } = brush;
  const rgb = rgbOf(mark, brush);
  box(context, rect, radius);
  context.fillStyle = rgb ? css(rgb) : palette.card;
  context.fill();
  context.strokeStyle = mark.vanished ? palette.dim : palette.strong;
  context.lineWidth = mark.vanished ? 1.4 : 1;
  if (mark.vanished) context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
  return rgb ? inkOn(rgb) : palette.ink;
}

/** Draws an item with its name and amount. */
export function drawMarked(brush: Brush, card: Card, whole: Rect, mark: Mark): void {
  const { context, palette, zoom } = brush;
  const module = card.kind === "module";
  const rect = module ? { ...whole, w: whole.w - PILE, h: whole.h - PILE } : whole;
  if (module) stack(brush, rect);
  const ink = ground(brush, mark, rect, radiusOf(card.kind, rect));
  if (zoom < DETAIL.name) return;
  const text = mark.text || plainWord(card, brush.overlay!.metric);
  const dim = mark.text === "" ? palette.dim : ink;
  const small = rect.h <= SMALL_CARD.height;
  const scale = readableScale(zoom, small ? 1.2 : 2);
  const [left, room] = [rect.x + 12, rect.w - 24];
  const title = card.kind === "leaf" || !card.name || !small ? card.title : card.name;
  const [first, second] = [rect.y + rect.h * 0.3 + 4 * scale, rect.y + rect.h * 0.72 + 4 * scale];
  write(context, title, left, first, { font: "title", colour: ink, room, scale });
  const font = mark.text === "" ? "small" : "number";
  write(context, text, left + room, second, { font, colour: dim, align: "right", room, scale });
}

function plainWord({ phase, note }: Card, metric: Metric): string {
  if (phase === "absent") return t("not yet");
  if (metric === "gradient") return note || "–";
  return metric === "nonfinite" ? t("not recorded") : "–";
}

/** The instances of a stack, as `drawStrip` places them. */
export function drawMarkedCells(brush: Brush, overlay: Range, card: Card, cells: readonly Rect[]): void {
  const { context, graph, visible, state } = brush;
  const module = visible.modules.get(card.key)!;
  const amounts = ofInstances(overlay.metric, module, graph, state);
  const scale = Math.min(1.15, captionScale(brush));
  cells.forEach((at, i) => {
    const [from, to] = instancesOf(i, amounts.length);
    const mark = markOf(together(overlay.metric, amounts.slice(from, to)), overlay);
    const colour = ground(brush, mark, at, 5);
    const cell = card.strip[from]!;
    const label = to - from > 1 ? rangeName(cell.label, card.strip[to - 1]!.label) : cell.label;
    const text = mark.text || (cell.phase === "absent" ? t("not yet") : "–");
    ring({ ...brush, palette: { ...brush.palette, highlight: "#00000000" } }, cell, at);
    if (at.w > STRIP.cell.w) {
      const y = at.y + at.h / 2 + 3.6 * scale;
      write(context, label, at.x + 6, y, { font: "tiny", colour, room: at.w / 2, scale });
      write(context, text, at.x + at.w - 6, y, { font: "tiny", colour, align: "right", room: at.w / 2, scale });
    } else {
      write(context, label, at.x + 5, at.y + 12, { font: "tiny", colour, room: at.w - 8, scale });
      const middle = { font: "tiny", colour, align: "center", room: at.w - 4, scale } as const;
      write(context, text, at.x + at.w / 2, at.y + at.h - 6, middle);
    }
  });
}

export function drawMarkedWire(
  brush: Brush,
  overlay: Range,
  edge: PlacedEdge,
  wires: readonly string[],
  offset: number,
): void {
  const { graph, state } = brush;
  for (const lane of ["forward", "backward"] as const) {
    const curve = edge[lane];
    if (!curve) continue;
    const mark = markOf(ofWires(overlay.metric, lane, wires, graph, state), overlay);
    const head = lane === "forward" ? edge.headForward : edge.headBackward;
    drawLine(brush, curve, offset, mark, head, lane);
  }
}

function drawLine(brush: Brush, curve: Curve, offset: number, mark: Mark, head: boolean, lane: Lane): void {
  const { context, palette, zoom } = brush;
  const fill = fillOf(mark, brush);
  const colour = fill ?? palette.strong;
  const width = mark.broken ? 8 : widthOfLine(mark.share);
  context.strokeStyle = mark.vanished ? palette.dim : colour;
  context.lineWidth = Math.max(width, 0.9 / zoom);
  if (mark.vanished || (fill === null && lane === "backward")) context.setLineDash([4, 4]);
  trace(brush, curve, offset);
  context.setLineDash([]);
  if (head && zoom > DETAIL.box && width < 4) arrow(context, curve, offset, mark.vanished ? palette.dim : colour);
}
