/** Draws the lines between items: data down in blue, gradients up in orange, once for every use. */
import { type Curve, overlaps, pointAt, type Rect, wider } from "../layout/geometry";
import { segmentsOf } from "../layout/segments";
import type { PlacedEdge } from "../layout/compose";
import { moduleName, number } from "../model/format";
import type { Sent } from "../model/state";
import { histogram, norm, scalar } from "../model/values";
import { faded } from "../theme/colour";
import { DETAIL } from "../theme/scale";
import { type Brush, captionScale, type Context, LARGEST_CAPTION } from "./brush";
import { drawMarkedWire, hasNumbers } from "./overlay";
import { endAtBorder, isLevel, shiftOf, spotOf } from "./spots";
import { widthOf, write } from "./text";
import { t } from "../language/text";
import { spoken } from "../model/module";

const HEAD = 8;

interface WireState {
  ran: boolean;
  sent: Sent | null;
}

function wireState(brush: Brush, wire: string): WireState {
  const dot = wire.indexOf(".");
  const id = brush.graph.nodeOfKey(wire.slice(0, dot));
  const node = id === null ? undefined : brush.state.nodes.get(id);
  return { ran: node !== undefined, sent: node?.sent.get(Number(wire.slice(dot + 1))) ?? null };
}

/** Whether a line is highlighted, because both its true ends are, whichever frame this segment is in. */
function standsOut(brush: Brush, edge: PlacedEdge): boolean {
  const { found, graph, visible } = brush;
  if (!found) return true;
  const has = (key: string): boolean => found.has(visible.shown.get(key) ?? key);
  return edge.wires.some((w) => {
    const [key, index] = w.split(".");
    const wire = graph.wires.get(graph.nodeOfKey(key!) ?? -1)?.[Number(index)];
    if (!wire) return false;
    const source = wire.from ? graph.opKey(wire.from.node) : wire.leaf !== null ? graph.leafKey(wire.leaf) : "";
    return has(key!) && has(source);
  });
}

const statesOf = (brush: Brush, edge: PlacedEdge): WireState[] => edge.wires.map((w) => wireState(brush, w));

const isNow = (brush: Brush, sent: Sent): boolean => sent.seq === brush.event?.seq;

/** All that decides the look of a line, apart from its place: equal traits mean equal lines. */
export function edgeTraits(brush: Brush, edge: PlacedEdge): unknown[] {
  const states = statesOf(brush, edge).flatMap(({ ran, sent }) => [ran, sent, sent !== null && isNow(brush, sent)]);
  const told = edge.rank === undefined ? null : brush.state.seq; // what ranks do together is told by the moment alone
  return [edge.count, edge.headForward, edge.headBackward, told, spotOf(edge), shiftOf(edge), ...states];
}

/** A number such as ‖0.000136‖, the distance to its line, and the histogram at its right. */
const NUMBER = { width: 80, distance: 7, histogram: 38 } as const;
/** The room for it at the middle of a line: at the right, and with two lines also at the left. */
const LABEL = NUMBER.distance + NUMBER.width * LARGEST_CAPTION + NUMBER.histogram;

const covers = new WeakMap<PlacedEdge, readonly Rect[]>();

/**
 * The area of a line with its arrow heads and texts, as boxes along it. That of the line is computed once; the name at
 * the border of a lens makes way for others that come.
 */
export function edgeCover(edge: PlacedEdge): readonly Rect[] {
  let cover = covers.get(edge);
  if (!cover) covers.set(edge, (cover = boxesAlong(edge)));
  const shift = edge.stub ? shiftOf(edge) : null;
  return shift === null ? cover : [...cover, stubRoom(edge, shift)];
}

/** The room for the name at the border of a lens, however much it is enlarged. */
function stubRoom(edge: PlacedEdge, shift: number): Rect {
  const [x, y] = [endAtBorder(edge)[0] + shift, endAtBorder(edge)[1]];
  const width = STUB_ROOM + Math.abs(shift) * (LARGEST_CAPTION - 1) * 2;
  return { x: x - width / 2, y: edge.stub === "in" ? y - 22 : y, w: width, h: 22 };
}

/** The most room for the name of the other end of a line. */
const STUB_ROOM = 240;

function boxesAlong(edge: PlacedEdge): Rect[] {
  const { forward, backward, count } = edge;
  const curves = backward ? [forward, backward] : [forward];
  const boxes = curves.flatMap((curve) => segmentsOf(curve).map((segment) => wider(segment.box, HEAD)));
  if (!backward) return boxes;
  const [[x, y], left] = [pointAt(backward, spotOf(edge)), count > 1 ? LABEL : HEAD];
  return [...boxes, { x: x - left, y: y - 16, w: left + LABEL, h: 32 }];
}

export function drawEdge(brush: Brush, edge: PlacedEdge): void {
  const { context } = brush;
  const states = statesOf(brush, edge);
  context.globalAlpha = standsOut(brush, edge) ? 1 : 0.15;
  if (edge.count > 1) {
    states.forEach((state, i) => drawWire(brush, edge, [state], [edge.wires[i]!], (i - (edge.count - 1) / 2) * 7));
  } else drawWire(brush, edge, states, edge.wires, 0);
  context.globalAlpha = 1;
}

function drawWire(brush: Brush, edge: PlacedEdge, states: WireState[], wires: readonly string[], offset: number): void {
  if (brush.overlay) return drawMarkedWire(brush, brush.overlay, edge, wires, offset);
  const { palette, context, zoom } = brush;
  const ran = states.some((s) => s.ran);
  const heads = zoom > DETAIL.box;
  context.lineWidth = Math.max(1.5, 0.9 / zoom);
  context.strokeStyle = ran ? faded(palette.value, 0.8) : palette.line;
  if (!ran) context.setLineDash([3, 4]);
  trace(brush, edge.forward, offset);
  context.setLineDash([]);
  if (heads && ran && edge.headForward) arrow(context, edge.forward, offset, faded(palette.value, 0.9));
  if (!edge.backward || !ran) return;
  const sent = states.map((s) => s.sent).filter((s): s is Sent => s !== null);
  if (sent.length === 0) {
    context.strokeStyle = palette.strong;
    context.lineWidth = Math.max(1.2, 0.7 / zoom);
    context.setLineDash([2.5, 4]);
    trace(brush, edge.backward, offset);
    context.setLineDash([]);
    return;
  }
  const now = sent.some((s) => isNow(brush, s));
  context.strokeStyle = palette.gradient;
  context.lineWidth = Math.max(now ? 3.2 : 1.9, (now ? 2 : 1) / zoom);
  trace(brush, edge.backward, offset);
  if (heads && edge.headBackward) arrow(context, edge.backward, offset, palette.gradient);
}

/**
 * Draws the numbers of gradients. Of two gradients, each has one side of the lines; beside a pill, or with more, they
 * are stacked.
 */
export function drawLabels(brush: Brush, edge: PlacedEdge): void {
  if (edge.stub) drawStub(brush, edge);
  if (brush.zoom < LABELS || !edge.backward || !edge.headBackward) return;
  if (!standsOut(brush, edge) || !hasNumbers(brush)) return;
  const sent = statesOf(brush, edge).map((s) => s.sent);
  const { backward, count } = edge;
  if (isLevel(backward) || count > 2) pile(brush, edge, backward, sent);
  else if (count === 2) sent.forEach((s, i) => s && label(brush, pointAt(backward, 0.5), s, (i - 0.5) * 7));
  else {
    const first = sent.find((s) => s !== null);
    if (first) label(brush, pointAt(backward, spotOf(edge)), first, 0);
  }
}

/** Draws the name of the other end of a line at the border of a lens: "from h.5". */
function drawStub(brush: Brush, edge: PlacedEdge): void {
  const { context, palette, graph } = brush;
  const [key, index] = (edge.wires[0] ?? "").split(".");
  const user = graph.nodeOfKey(key ?? "");
  const wire = user === null ? undefined : graph.wires.get(user)?.[Number(index)];
  const shift = shiftOf(edge);
  if (user === null || !wire || shift === null || brush.zoom < LABELS) return;
  const name =
    edge.stub === "in"
      ? t("from {what}", {
          what: wire.from
            ? outerName(graph.scopeOf(wire.from.node), graph.scopeOf(user), graph.nodes.get(wire.from.node)!.op)
            : graph.describe(wire.leaf),
        })
      : t("to {what}", {
          what: outerName(graph.scopeOf(user), graph.scopeOf(wire.from?.node ?? -1), graph.nodes.get(user)!.op),
        });
  const scale = captionScale(brush);
  const [end, border] = endAtBorder(edge);
  const [x, y] = [end + shift * scale, border + (edge.stub === "in" ? -5 : 12 * scale)];
  write(context, name, x, y, { font: "small", colour: palette.dim, align: "center", room: STUB_ROOM, scale });
}

/** The name of the module that contains one op but not the other; else the op's own name. */
function outerName(scope: readonly string[], other: readonly string[], op: string): string {
  const outer = scope.find((segment, i) => segment !== other[i]);
  return outer === undefined ? op : spoken(moduleName(outer));
}

const LABELS = 0.44;
const MOST_PILED = 3;

/** Draws the numbers of all lines of an edge; equal ones once. */
function pile(brush: Brush, edge: PlacedEdge, curve: Curve, sent: readonly (Sent | null)[]): void {
  const { context, palette } = brush;
  const level = isLevel(curve);
  const shown = edge.count > 1 ? sent : sent.filter((s) => s !== null).slice(0, 1);
  const texts = shown.flatMap((s) => amountOf(s, level) ?? []);
  if (texts.length === 0) return;
  const equal = texts.length > 1 && texts.every((text) => text === texts[0]);
  const lines = equal ? [`${texts.length}×${texts[0]}`] : texts.slice(0, MOST_PILED);
  if (!equal && texts.length > MOST_PILED)
    lines[MOST_PILED - 1] = t("+ {n} more", { n: texts.length - MOST_PILED + 1 });
  const scale = captionScale(brush);
  const step = 11 * scale;
  const shift = ((edge.count - 1) / 2) * 7;
  const [mx, my] = pointAt(curve, spotOf(edge));
  const [x, y] = level
    ? [mx, my + shift + 2 + 9 * scale]
    : [mx + shift + NUMBER.distance, my + 3.5 - ((lines.length - 1) / 2) * step];
  const align = level ? "center" : "left";
  lines.forEach((text, i) => {
    const width = widthOf(context, text, "tiny") * scale;
    ground(brush, level ? x - width / 2 : x, y + i * step, width);
    write(context, text, x, y + i * step, { font: "tiny", colour: palette.gradientInk, align, scale });
  });
}

/** Draws a background behind a number, so that no line crosses it. */
function ground(brush: Brush, x: number, baseline: number, width: number): void {
  const { context, palette } = brush;
  const scale = captionScale(brush);
  context.fillStyle = faded(palette.ghost, 0.88);
  context.fillRect(x - 2, baseline - 10 * scale, width + 4, 13 * scale);
}

/** The number of a scalar, else the norm; short if there is little room. */
function amountOf(sent: Sent | null, short: boolean): string | null {
  const single = sent?.value ? scalar(sent.value) : null;
  const amount = single ?? (sent?.value ? norm(sent.value) : null);
  if (amount === null) return null;
  const size = Math.abs(amount);
  if (short) return number(amount, size < 0.01 ? 1 : size < 0.1 ? 2 : 3); // between card and pill there is room for 0.123
  return single !== null ? number(single, 3) : `‖${number(amount, 3)}‖`;
}

/** Draws the visible part of a line. Lines for two uses of one tensor are side by side. */
export function trace({ context, area }: Brush, curve: Curve, offset: number): void {
  const [ox, oy] = aside(curve, offset);
  const seen = wider(area, Math.abs(offset) + HEAD);
  let drawing = false;
  context.beginPath();
  for (const { curve: c, box } of segmentsOf(curve)) {
    const sight = overlaps(box, seen);
    if (sight && !drawing) context.moveTo(c[0]! + ox, c[1]! + oy);
    if (sight) context.bezierCurveTo(c[2]! + ox, c[3]! + oy, c[4]! + ox, c[5]! + oy, c[6]! + ox, c[7]! + oy);
    drawing = sight;
  }
  context.stroke();
}

function aside(curve: Curve, offset: number): [number, number] {
  if (offset === 0) return [0, 0];
  const level = Math.abs(curve[0]! - curve[curve.length - 2]!) > Math.abs(curve[1]! - curve[curve.length - 1]!);
  return level ? [0, offset] : [offset, 0];
}

export function arrow(context: Context, curve: Curve, offset: number, colour: string): void {
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

/** Draws a gradient beside its line: its number, and a small histogram if there is one. */
function label(brush: Brush, [x, y]: [number, number], sent: Sent, offset: number): void {
  const text = amountOf(sent, false);
  const value = sent.value;
  if (text === null || !value) return;
  const { context, palette } = brush;
  const scale = captionScale(brush);
  const width = widthOf(context, text, "tiny") * scale;
  const left = offset < 0;
  const at = left ? x + offset - NUMBER.distance - width : x + offset + NUMBER.distance;
  const bins = left ? null : histogram(value);
  const spark = bins ? NUMBER.histogram : 0;
  const baseline = y + 3.5 * scale;
  ground(brush, at, baseline, width + spark);
  write(context, text, at, baseline, { font: "tiny", colour: palette.gradientInk, scale });
  if (bins) sparkline(brush, bins, at + width + 5, y - 6);
}

function sparkline(brush: Brush, bins: readonly number[], x: number, y: number): void {
  const { context, palette } = brush;
  const most = Math.max(...bins);
  context.fillStyle = faded(palette.gradient, 0.6);
  bins.forEach((n, i) => {
    const h = Math.max(n > 0 ? 1 : 0, (n / most) * 11);
    context.fillRect(x + i * 2, y + 11 - h, 1.5, h);
  });
}
