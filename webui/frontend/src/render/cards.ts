/** Draws ops, leaves and folded modules. Positions follow the scale; colours follow the meaning. */
import type { Rect } from "../layout/geometry";
import { type Card, cardOf, type Pin } from "../model/card";
import { number } from "../model/format";
import { norm, scalar } from "../model/values";
import type { Item } from "../model/visible";
import { faded } from "../theme/colour";
import { CARD, DETAIL, PILL } from "../theme/scale";
import { box, type Brush, type Context, dashedBox, dots, valueBox } from "./brush";
import { widthOf, write } from "./text";

export function drawItem(brush: Brush, item: Item, rect: Rect): void {
  const card = cardOf(item, brush.graph, brush.visible, brush.state);
  const { context } = brush;
  context.globalAlpha = brush.found && !brush.found.has(item.key) ? 0.22 : 1;
  if (card.phase === "absent") drawGhost(brush, card, rect);
  else if (item.kind === "leaf" && rect.w <= PILL.width) drawPill(brush, card, rect);
  else if (item.kind === "module") drawCard(brush, card, { ...rect, w: rect.w - PILE, h: rect.h - PILE });
  else drawCard(brush, card, rect);
  context.globalAlpha = 1;
}

/** Not yet: its place is kept. */
function drawGhost(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  box(context, rect, radiusOf(card, rect));
  context.strokeStyle = palette.strong;
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  context.stroke();
  context.setLineDash([]);
  if (brush.zoom < DETAIL.text) return;
  const y = rect.y + (rect.h < CARD.height ? rect.h / 2 + 4 : 17);
  write(context, card.title, rect.x + 14, y, { font: "title", colour: palette.faint, room: rect.w - 28 });
}

const radiusOf = (card: Card, rect: Rect): number => (card.kind === "leaf" ? rect.h / 2 : CARD.radius);

function surface(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  const running = card.phase === "running";
  const radius = rect.w <= PILL.width ? rect.h / 2 : card.kind === "leaf" ? 26 : CARD.radius;
  if (card.kind === "module") stack(brush, rect);
  if (brush.zoom > DETAIL.text) {
    box(context, { ...rect, y: rect.y + 2 }, radius);
    context.fillStyle = palette.shadow;
    context.fill();
  }
  box(context, rect, radius);
  context.fillStyle = running ? palette.highlight : palette.card;
  context.fill();
  context.lineWidth = running ? 2 : card.trouble !== "" ? 1.6 : 1;
  context.strokeStyle =
    card.trouble !== ""
      ? palette.error
      : running || card.phase === "ready"
        ? palette.gradient
        : card.parameter
          ? faded(palette.leaf, 0.75)
          : palette.strong;
  if (card.phase === "ready") context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

const PILE = 6;

/** A folded module is a pile of cards. */
function stack(brush: Brush, rect: Rect): void {
  const { context, palette } = brush;
  for (const depth of [PILE, PILE / 2]) {
    box(context, { ...rect, x: rect.x + depth, y: rect.y + depth }, CARD.radius);
    context.fillStyle = palette.card;
    context.fill();
    context.strokeStyle = palette.strong;
    context.lineWidth = 1;
    context.stroke();
  }
}

function drawCard(brush: Brush, card: Card, rect: Rect): void {
  surface(brush, card, rect);
  const { context, palette } = brush;
  if (brush.zoom < DETAIL.text) return drawCoarse(brush, card, rect);
  drawHead(brush, card, rect);
  const middle = rect.x + rect.w / 2;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(middle, rect.y + CARD.head);
  context.lineTo(middle, rect.y + rect.h - (card.progress ? 5 : 0));
  context.stroke();
  drawHalf(brush, card, rect, "value");
  drawHalf(brush, card, rect, "gradient");
  if (card.progress) drawProgress(brush, card.progress, rect);
  drawPins(brush, card.pins, rect);
}

/** Between afar and near: the name, and which halves have a value. */
function drawCoarse(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  if (brush.zoom > 0.24) {
    context.font = `600 20px ${"Inter Variable"}`;
    write(context, card.title, rect.x + 12, rect.y + 24, { font: "title", colour: palette.ink, room: rect.w - 24 });
  }
  const half = rect.w / 2 - 14;
  const area = (x: number): Rect => ({ x, y: rect.y + 36, w: half, h: rect.h - 46 });
  const left = area(rect.x + 9);
  const right = area(rect.x + rect.w / 2 + 5);
  context.fillStyle = faded(palette.value, 0.35);
  context.fillRect(left.x, left.y, left.w, left.h);
  context.fillStyle = card.gradient ? faded(palette.gradient, 0.6) : palette.bg;
  context.fillRect(right.x, right.y, right.w, right.h);
}

function drawHead(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  const y = rect.y + 17.5;
  let right = rect.x + rect.w - CARD.pad;
  right -= write(context, card.number, right, y, { font: "tiny", colour: palette.faint, align: "right" }) + 7;
  if (card.version > 0) right -= badge(brush, `v${card.version}`, right, y, palette.valueInk);
  if (card.hooks > 0)
    right -= badge(brush, card.hooks > 1 ? `${card.hooks} hooks` : "hook", right, y, palette.gradientInk);
  if (card.trouble) right -= badge(brush, card.trouble, right, y, palette.errorInk);
  let x = rect.x + CARD.pad;
  if (card.kind === "module") x += write(context, "▸", x, y, { font: "small", colour: palette.dim }) + 5;
  x += write(context, card.title, x, y, { font: "title", colour: palette.ink, room: right - x }) + 7;
  if (card.detail) x += write(context, card.detail, x, y, { font: "mono", colour: palette.dim, room: right - x }) + 6;
  if (card.name && right - x > 24)
    write(context, `→ ${card.name}`, x, y, { font: "mono", colour: palette.valueInk, room: right - x });
}

function badge(brush: Brush, text: string, right: number, baseline: number, colour: string): number {
  const { context } = brush;
  const width = widthOf(context, text, "tiny") + 9;
  box(context, { x: right - width, y: baseline - 10.5, w: width, h: 14 }, 7);
  context.strokeStyle = faded(colour, 0.6);
  context.lineWidth = 1;
  context.stroke();
  write(context, text, right - width / 2, baseline - 0.2, { font: "tiny", colour, align: "center" });
  return width + 5;
}

function drawHalf(brush: Brush, card: Card, rect: Rect, side: "value" | "gradient"): void {
  const { context, palette } = brush;
  const half = rect.w / 2;
  const x = rect.x + (side === "value" ? 0 : half) + CARD.pad;
  const inner = half - 2 * CARD.pad;
  const top = rect.y + CARD.head + 5;
  const value = side === "value" ? card.value : card.gradient;
  const caption = rect.y + rect.h - (card.progress ? 8.5 : 10);
  if (!value) {
    const note = side === "value" ? card.shape : card.note;
    write(context, note, x + inner / 2, top + 22, {
      font: "small",
      colour: palette.faint,
      align: "center",
      room: inner,
    });
    if (side === "gradient") dots(brush, card.arrived, card.expected, x + inner, caption - 3, palette.gradient);
    return;
  }
  const single = value.kind === "text" || scalar(value) !== null;
  const area = { x, y: top, w: inner, h: single ? 24 : card.progress ? 14 : 17 };
  valueBox(brush, value, area, side);
  if (side === "value") {
    if (!single) write(context, card.shape, x, caption, { font: "small", colour: palette.dim, room: inner });
    return;
  }
  const length = norm(value);
  if (!single && length !== null) {
    write(context, `‖ȳ‖ ${number(length, 3)}`, x, caption, { font: "small", colour: palette.dim, room: inner });
  }
  dots(brush, card.arrived, card.expected, x + inner, caption - 3, palette.gradient);
}

function drawProgress(brush: Brush, progress: NonNullable<Card["progress"]>, rect: Rect): void {
  const { context, palette } = brush;
  const [x, y, w] = [rect.x + 10, rect.y + rect.h - 4, rect.w - 20];
  context.fillStyle = faded(palette.value, 0.5);
  context.fillRect(x, y, ((w / 2) * progress.ran) / progress.total, 2);
  context.fillStyle = palette.gradient;
  const back = ((w / 2) * progress.back) / Math.max(1, progress.recorded);
  context.fillRect(x + w - back, y, back, 2);
}

const PIN = { height: 15, gap: 4, most: 2 } as const;

/** What is kept for backward sits on the lower edge, between the lanes. */
function drawPins(brush: Brush, pins: Pin[], rect: Rect): void {
  if (pins.length === 0) return;
  const { context } = brush;
  const shown =
    pins.length > PIN.most ? [pins[0]!, { label: `+${pins.length - 1}`, released: pins[0]!.released }] : pins;
  const widths = shown.map((p) => widthOf(context, p.label, "tiny") + 19);
  const total = widths.reduce((a, b) => a + b, 0) + PIN.gap * (shown.length - 1);
  let x = rect.x + rect.w / 2 - total / 2;
  shown.forEach((pin, i) => {
    drawPin(brush, pin, { x, y: rect.y + rect.h - PIN.height / 2, w: widths[i]!, h: PIN.height });
    x += widths[i]! + PIN.gap;
  });
}

function drawPin(brush: Brush, pin: Pin, area: Rect): void {
  const { context, palette } = brush;
  box(context, area, area.h / 2);
  context.fillStyle = palette.card;
  context.fill();
  if (!pin.released) {
    context.fillStyle = faded(palette.saved, 0.18);
    context.fill();
  }
  context.strokeStyle = pin.released ? palette.strong : faded(palette.saved, 0.8);
  context.lineWidth = 1;
  if (pin.released) context.setLineDash([2.5, 2]);
  context.stroke();
  context.setLineDash([]);
  const colour = pin.released ? palette.faint : palette.savedInk;
  context.beginPath();
  context.arc(area.x + 8, area.y + area.h / 2, 2.2, 0, 7);
  if (pin.released) {
    context.strokeStyle = colour;
    context.stroke();
  } else {
    context.fillStyle = palette.saved;
    context.fill();
  }
  write(context, pin.label, area.x + 13, area.y + 10.8, { font: "tiny", colour });
}

/** A leaf beside its op: name and shape, value over gradient. */
function drawPill(brush: Brush, card: Card, rect: Rect): void {
  surface(brush, card, rect);
  const { context, palette } = brush;
  if (brush.zoom < DETAIL.text) return pillCoarse(brush, card, rect);
  const x = rect.x + 18;
  const room = rect.w - 18 - 82;
  write(context, card.title, x, rect.y + 19, { font: "name", colour: palette.ink, room });
  const used = write(context, card.shape, x, rect.y + 33, { font: "small", colour: palette.dim, room });
  if (card.version > 0) {
    write(context, `v${card.version}`, x + used + 5, rect.y + 33, {
      font: "tiny",
      colour: palette.valueInk,
      room: room - used - 5,
    });
  }
  const area = { x: rect.x + rect.w - 78, y: rect.y + 6, w: 60, h: card.parameter ? 14 : 32 };
  if (card.value) valueBox(brush, card.value, area, "value");
  if (!card.parameter) return;
  const below = { ...area, y: rect.y + 24 };
  if (card.gradient)
    valueBox(brush, card.gradient, below, "gradient", scalar(card.gradient) === null ? palette.leaf : palette.leafInk);
  else {
    dashedBox(context, below, palette.strong);
    write(context, card.note, below.x + 30, below.y + 10.5, { font: "tiny", colour: palette.faint, align: "center" });
  }
  pillDots(brush, card, rect);
}

function pillDots(brush: Brush, card: Card, rect: Rect): void {
  if (card.expected < 2) return;
  dots(brush, card.arrived, card.expected, rect.x + rect.w - 16, rect.y + rect.h + 6, brush.palette.leaf);
}

function pillCoarse(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  context.fillStyle = card.gradient ? faded(palette.leaf, 0.6) : faded(palette.value, 0.25);
  context.fillRect(rect.x + rect.w - 76, rect.y + 14, 58, rect.h - 28);
  if (brush.zoom > 0.24)
    write(context, card.title, rect.x + 16, rect.y + 30, { font: "name", colour: palette.ink, room: 60 });
}

/** The line around what is chosen, what is hovered, what the event is about. */
export function outline(context: Context, rect: Rect, colour: string, zoom: number, gap: number, width: number): void {
  const g = gap / zoom;
  box(context, { x: rect.x - g, y: rect.y - g, w: rect.w + 2 * g, h: rect.h + 2 * g }, CARD.radius + g);
  context.strokeStyle = colour;
  context.lineWidth = width / zoom;
  context.stroke();
}
