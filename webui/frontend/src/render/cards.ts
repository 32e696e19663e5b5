/** Draws ops, leaves and folded modules. Positions come from the scale; colours from the meaning. */
import type { Rect } from "../layout/geometry";
import { type Card, cardOf } from "../model/card";
import { number } from "../model/format";
import { norm, scalar } from "../model/values";
import type { Value } from "../protocol";
import type { Item } from "../model/visible";
import { faded } from "../theme/colour";
import { CARD, DETAIL, PILL, SMALL_CARD } from "../theme/scale";
import { bareNumber, box, type Brush, captionScale, dashedBox, dots, dotsWidth, valueBox } from "./brush";
import { drawCollective } from "./collectives";
import { drawMarked, markOfItem } from "./overlay";
import { drawPins } from "./pins";
import { drawStrip } from "./strips";
import { type FontName, readableScale, widthOf, write } from "./text";
import { counted, t } from "../language/text";

export function drawItem(brush: Brush, item: Item, rect: Rect): void {
  const card = cardOf(item, brush.graph, brush.visible, brush.state);
  const { context } = brush;
  context.globalAlpha = brush.found && !brush.found.has(item.key) ? 0.22 : 1;
  if (card.phase === "absent" && card.strip.length === 0) drawGhost(brush, card, rect);
  else if (item.kind === "collective") drawCollective(brush, card, rect);
  else if (brush.overlay && card.strip.length === 0) drawMarked(brush, card, rect, markOfItem(brush, item)!);
  else if (rect.h <= SMALL_CARD.height) drawSmall(brush, card, rect);
  else if (item.kind === "leaf" && rect.w <= PILL.width) drawPill(brush, card, rect);
  else if (card.strip.length > 0) drawStrip(brush, card, rect);
  else if (item.kind === "module") drawCard(brush, card, { ...rect, w: rect.w - PILE, h: rect.h - PILE });
  else drawCard(brush, card, rect);
  context.globalAlpha = 1;
}

/** Draws the place of an item that has not run yet. */
function drawGhost(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  box(context, rect, radiusOf(card.kind, rect));
  context.strokeStyle = palette.strong;
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  context.stroke();
  context.setLineDash([]);
  if (brush.zoom < DETAIL.text) return;
  const scale = headScale(brush);
  const y = rect.y + (rect.h < CARD.height ? rect.h / 2 + 4 * scale : 13 + 4 * scale);
  write(context, card.title, rect.x + 14, y, { font: "title", colour: palette.faint, room: rect.w - 28, scale });
}

/** How far a card extends beyond its box: its shadow, dots and hooks, and half of a pin at its largest. */
export const REACH = 14;

/** A leaf beside its op is a pill; a separate one is as large as a card. */
export const radiusOf = (kind: Item["kind"], rect: Rect): number =>
  kind === "leaf" ? (rect.w <= PILL.width ? rect.h / 2 : 26) : rect.h <= SMALL_CARD.height ? 8 : CARD.radius;

export type Pen = Pick<Brush, "context" | "zoom">;

export function surface(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  const running = card.phase === "running";
  const radius = radiusOf(card.kind, rect);
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

export const PILE = 6;

/** Draws a folded module as a pile of cards. */
export function stack(brush: Brush, rect: Rect): void {
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

/** A number's size, as a multiple of a small text's. */
const LARGER = 13.5 / 11;

/** Draws one number and its gradient, below the op that computes it. */
function drawSmall(brush: Brush, card: Card, rect: Rect): void {
  surface(brush, card, rect);
  const { context, palette } = brush;
  if (brush.zoom < DETAIL.text) return drawSmallFar(brush, card, rect);
  const scale = captionScale(brush);
  const middle = rect.x + rect.w / 2;
  const room = rect.w / 2 - 8;
  const what = card.detail && card.name ? `${card.name} = ${card.detail}` : card.name || card.detail || card.title;
  write(context, card.kind === "op" ? what : card.title, middle, rect.y + 11 + 4 * scale, {
    font: "name",
    colour: card.trouble ? palette.errorInk : palette.ink,
    align: "center",
    room: rect.w - 16,
    scale,
  });
  const y = rect.y + rect.h - 13 + 5 * scale;
  const say = (value: Value | null, note: string, x: number, ink: string): void => {
    const amount = scalar(value);
    const colour = amount === null ? palette.dim : Number.isFinite(amount) ? ink : palette.errorInk;
    write(context, amount === null ? note : number(amount), x, y, {
      ...{
        font: amount === null ? "small" : "number",
        colour,
        align: "center",
        room,
        scale: amount === null ? scale : readableScale(brush.zoom * LARGER, 1.4),
      },
    });
  };
  say(card.value, "", rect.x + rect.w / 4, palette.valueInk);
  const mine = card.kind === "leaf" ? palette.leafInk : palette.gradientInk;
  say(card.gradient, card.note, rect.x + (3 * rect.w) / 4, mine);
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(middle, rect.y + rect.h - 17);
  context.lineTo(middle, rect.y + rect.h - 5);
  context.stroke();
  card.pins.forEach((pin, i) => savedDot(brush, pin.released, rect.x + rect.w - 8 - i * 8, rect.y + 8));
}

/** Draws a saved tensor as a dot, if there is no room for its name. */
function savedDot({ context, palette }: Brush, released: boolean, x: number, y: number): void {
  context.beginPath();
  context.arc(x, y, 2.4, 0, 7);
  context.fillStyle = context.strokeStyle = released ? palette.faint : palette.saved;
  context.lineWidth = 1;
  if (released) context.stroke();
  else context.fill();
}

function drawSmallFar(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  context.fillStyle = faded(palette.value, 0.35);
  context.fillRect(rect.x + 8, rect.y + 14, rect.w / 2 - 12, rect.h - 22);
  if (!card.gradient) return;
  context.fillStyle = faded(palette.gradient, 0.5);
  context.fillRect(rect.x + rect.w / 2 + 4, rect.y + 14, rect.w / 2 - 12, rect.h - 22);
}

/** At medium zoom: the name, and which halves have a value. */
function drawCoarse(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  const half = rect.w / 2 - 14;
  const area = (x: number): Rect => ({ x, y: rect.y + 40, w: half, h: rect.h - 50 });
  const left = area(rect.x + 9);
  const right = area(rect.x + rect.w / 2 + 5);
  context.fillStyle = faded(palette.value, 0.35);
  context.fillRect(left.x, left.y, left.w, left.h);
  context.fillStyle = card.gradient ? faded(palette.gradient, 0.6) : palette.bg;
  context.fillRect(right.x, right.y, right.w, right.h);
  if (brush.zoom > DETAIL.name || card.kind === "module")
    write(context, card.title, rect.x + 10, rect.y + 31, {
      font: "title",
      colour: palette.ink,
      room: rect.w - 20,
      scale: readableScale(brush.zoom, 2.6),
    });
}

const headScale = (brush: Brush): number => readableScale(brush.zoom, 1.6);

function drawHead(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  const scale = headScale(brush);
  const y = rect.y + 13 + 4.5 * scale;
  const say = (text: string, x: number, font: FontName, colour: string, room: number): number =>
    write(context, text, x, y, { font, colour, room, scale });
  let right = rect.x + rect.w - CARD.pad;
  const count = { font: "tiny", colour: palette.faint, align: "right", scale } as const;
  right -= write(context, card.number, right, y, count) + 7;
  if (card.version > 0) right -= badge(brush, `v${card.version}`, right, y, palette.valueInk);
  if (card.hooks > 0) right -= badge(brush, hooksOf(card), right, y, palette.gradientInk);
  if (card.trouble) right -= badge(brush, card.trouble, right, y, palette.errorInk);
  let x = rect.x + CARD.pad;
  if (card.kind === "module") x += say("▸", x, "small", palette.dim, 20) + 5;
  x += say(card.title, x, "title", palette.ink, right - x) + 7;
  if (card.detail) x += say(card.detail, x, "mono", palette.dim, right - x) + 6;
  if (card.name && right - x > 24 * scale) say(`→ ${card.name}`, x, "mono", palette.valueInk, right - x);
}

const hooksOf = (card: Card): string => counted(card.hooks, "hook", "{n} hooks");

/** `solid`: the badge covers a border. */
function badge(brush: Brush, text: string, right: number, baseline: number, colour: string, solid = false): number {
  const { context } = brush;
  const scale = headScale(brush);
  const width = widthOf(context, text, "tiny") * scale + 9;
  box(context, { x: right - width, y: baseline - 10.5 * scale, w: width, h: 14 * scale }, 7 * scale);
  if (solid) {
    context.fillStyle = brush.palette.card;
    context.fill();
  }
  context.strokeStyle = faded(colour, 0.6);
  context.lineWidth = 1;
  context.stroke();
  write(context, text, right - width / 2, baseline - 0.2, { font: "tiny", colour, align: "center", scale });
  return width + 5;
}

function drawHalf(brush: Brush, card: Card, rect: Rect, side: "value" | "gradient"): void {
  const { context, palette } = brush;
  const scale = captionScale(brush);
  const half = rect.w / 2;
  const x = rect.x + (side === "value" ? 0 : half) + CARD.pad;
  const inner = half - 2 * CARD.pad;
  const top = rect.y + CARD.head + 5;
  const value = side === "value" ? card.value : card.gradient;
  const caption = rect.y + rect.h - (card.progress ? 8.5 : 11.5);
  const leaf = card.kind === "leaf";
  const come = (): void =>
    dots(brush, card.arrived, card.expected, x + inner, caption - 3, leaf ? palette.leaf : palette.gradient);
  if (!value) {
    const note = side === "value" ? card.shape : card.note;
    const how = { font: "small", colour: palette.dim, align: "center", room: inner, scale } as const;
    const raised = side === "gradient" && card.expected > 1 ? 7 : 0; // above the dots
    write(context, note, x + inner / 2, top + 18 - raised + 4 * scale, how);
    if (side === "gradient") come();
    return;
  }
  const single = value.kind === "text" || scalar(value) !== null;
  const area = { x, y: top, w: inner, h: single ? 24 : (card.progress ? 19 : 22) - 5 * scale };
  valueBox(
    brush,
    value,
    area,
    side,
    leaf && side === "gradient" ? (single ? palette.leafInk : palette.leaf) : undefined,
  );
  const say = (text: string): void =>
    void write(context, text, x, caption, { font: "small", colour: palette.dim, room: inner, scale });
  if (side === "value") {
    if (!single) say(card.shape);
    return;
  }
  const length = norm(value);
  if (!single && length !== null && bareNumber(value) === null) {
    const text = number(length, length < 0.1 ? 2 : 3);
    const room = inner - dotsWidth(brush, card.arrived, card.expected) - 4;
    say([t("norm {norm}", { norm: text }), text].find((each) => widthOf(context, each, "small") * scale < room) ?? "");
  }
  come();
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

/** Draws a leaf beside its op: name and shape, value above gradient. */
function drawPill(brush: Brush, card: Card, rect: Rect): void {
  surface(brush, card, rect);
  const { context, palette } = brush;
  if (brush.zoom < DETAIL.text) return pillCoarse(brush, card, rect);
  const scale = captionScale(brush);
  const x = rect.x + 16;
  const side = card.parameter ? 66 : 58; // of its value
  const room = rect.w - 36 - side;
  write(context, card.title, x, rect.y + 15 + 4 * scale, { font: "name", colour: palette.ink, room, scale });
  const below = rect.y + 27 + 6.5 * scale;
  const used = write(context, card.shape, x, below, { font: "small", colour: palette.dim, room, scale }) + 5;
  const version = `v${card.version}`;
  if (card.version > 0 && used + widthOf(context, version, "tiny") * scale <= room)
    write(context, version, x + used, below, { font: "tiny", colour: palette.valueInk, scale });
  if (card.hooks > 0) pillHooks(brush, card, rect);
  const area = { x: rect.x + rect.w - 18 - side, y: rect.y + 6, w: side, h: card.parameter ? 14 : 32 };
  if (card.value) valueBox(brush, card.value, area, "value");
  if (!card.parameter) return;
  const half = { ...area, y: rect.y + 24 };
  if (card.gradient)
    valueBox(brush, card.gradient, half, "gradient", scalar(card.gradient) === null ? palette.leaf : palette.leafInk);
  else {
    dashedBox(context, half, palette.strong);
    const how = { font: "small", colour: palette.dim, align: "center", room: half.w, scale } as const;
    write(context, card.note, half.x + half.w / 2, half.y + 7 + 3.8 * scale, how);
  }
  pillDots(brush, card, rect);
}

/** Draws hooks on the lower border, where ops have saved tensors: inside there is room only for a name. */
function pillHooks(brush: Brush, card: Card, rect: Rect): void {
  const text = hooksOf(card);
  const right = rect.x + 16 + widthOf(brush.context, text, "tiny") * headScale(brush) + 9;
  badge(brush, text, right, rect.y + rect.h + 4, brush.palette.gradientInk, true);
}

function pillDots(brush: Brush, card: Card, rect: Rect): void {
  if (card.expected < 2) return;
  dots(brush, card.arrived, card.expected, rect.x + rect.w - 16, rect.y + rect.h + 6, brush.palette.leaf);
}

function pillCoarse(brush: Brush, card: Card, rect: Rect): void {
  const { context, palette } = brush;
  context.fillStyle = card.gradient ? faded(palette.leaf, 0.6) : faded(palette.value, 0.25);
  context.fillRect(rect.x + rect.w - 76, rect.y + 14, 58, rect.h - 28);
  if (brush.zoom > DETAIL.name)
    write(context, card.title, rect.x + 14, rect.y + 30, {
      font: "name",
      colour: palette.ink,
      room: rect.w - 96,
      scale: readableScale(brush.zoom, 2),
    });
}

/** Draws the ring around a selected, hovered or active item; round if the item is. */
export function outline(brush: Pen, rect: Rect, radius: number, colour: string, gap: number, width: number): void {
  const { context, zoom } = brush;
  const g = gap / zoom;
  box(context, { x: rect.x - g, y: rect.y - g, w: rect.w + 2 * g, h: rect.h + 2 * g }, radius + g);
  context.strokeStyle = colour;
  context.lineWidth = width / zoom;
  context.stroke();
}
