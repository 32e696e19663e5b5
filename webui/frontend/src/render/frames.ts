/** Draws opened modules: a plain frame with a name. */
import { type Rect, union } from "../layout/geometry";
import { detailOf, type Module, pathOf, spoken, titleOf } from "../model/module";
import { faded } from "../theme/colour";
import { CARD, DETAIL, FRAME } from "../theme/scale";
import { box, type Brush } from "./brush";
import { readableScale, widthOf, write } from "./text";
import { counted } from "../language/text";

const isBelow = (cell: Rect, frame: Rect): boolean => frame.y > cell.y + cell.h && frame.x < cell.x + cell.w;

/** The area between an instance and its open frame, which the wedge covers. */
export function wedgeCover(cell: Rect, frame: Rect): Rect {
  const [right, bottom] = [cell.x + cell.w, cell.y + cell.h];
  const { x, y } = union([cell, frame]);
  return isBelow(cell, frame)
    ? { x, y: bottom, w: Math.max(right, frame.x + frame.w) - x, h: frame.y + FRAME.radius - bottom }
    : { x: right, y, w: Math.max(0, frame.x + 1 - right), h: Math.max(bottom, frame.y + frame.h) - y };
}

/** Draws the wedge from an instance on the card of its stack to its open frame. */
export function drawWedge({ context, palette }: Brush, cell: Rect, frame: Rect): void {
  const below = isBelow(cell, frame);
  context.beginPath();
  if (below) {
    context.moveTo(cell.x, cell.y + cell.h);
    context.lineTo(cell.x + cell.w, cell.y + cell.h);
    context.lineTo(frame.x + frame.w, frame.y + FRAME.radius);
    context.lineTo(frame.x, frame.y + FRAME.radius);
  } else {
    context.moveTo(cell.x + cell.w, cell.y);
    context.lineTo(frame.x + 1, frame.y + FRAME.radius);
    context.lineTo(frame.x + 1, frame.y + frame.h - FRAME.radius);
    context.lineTo(cell.x + cell.w, cell.y + cell.h);
  }
  context.closePath();
  context.fillStyle = faded(palette.gradient, 0.09);
  context.fill();
}

/** `lens`: it is beside the picture, and has its own background. */
export function drawFrame(brush: Brush, rect: Rect, lens = false): void {
  const { context, palette, zoom } = brush;
  box(context, rect, FRAME.radius);
  context.fillStyle = lens ? palette.bg : palette.frame;
  if (lens) context.fill();
  context.fillStyle = palette.frame;
  context.fill();
  context.strokeStyle = palette.line;
  context.lineWidth = Math.max(1, 0.7 / zoom);
  context.stroke();
}

/** Draws a place of the step before that this step has not reached, with the name of what was there. */
export function drawKept(brush: Brush, rect: Rect, name: string): void {
  const { context, palette, zoom } = brush;
  box(context, rect, CARD.radius);
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  context.stroke();
  context.setLineDash([]);
  if (name === "" || zoom < DETAIL.text) return;
  const scale = readableScale(zoom, 1.6);
  const y = rect.y + Math.min(rect.h / 2, 13) + 4.5 * scale;
  write(context, name, rect.x + CARD.pad, y, {
    font: "title",
    colour: palette.dim,
    room: rect.w - 2 * CARD.pad,
    scale,
  });
}

/** Draws the name above the lines that enter the frame, larger at low zoom. */
export function drawFrameName(brush: Brush, module: Module, rect: Rect): void {
  const { context, palette, zoom } = brush;
  if (zoom < DETAIL.box * 0.7) return;
  const scale = readableScale(zoom, zoom < DETAIL.text ? 2.6 : 1.6);
  const name = module.stack ? titleOf(module) : pathOf(module).split(".").map(spoken).join(".");
  const rest = `${detailOf(module)} · ${counted(module.size, "{n} op", "{n} ops")}`.replace(/^ · /, "");
  context.save();
  context.translate(rect.x + 12, rect.y + (scale > 1 ? 3 : 6));
  context.scale(scale, scale);
  const room = rect.w / scale - 24;
  const nameRoom = Math.min(widthOf(context, name, "frame"), room - 14);
  const restRoom = room - nameRoom - 24;
  const withRest = zoom >= DETAIL.text && restRoom > 30;
  const width = 13 + nameRoom + (withRest ? 6 + Math.min(restRoom, widthOf(context, rest, "small")) : 0);
  box(context, { x: -4, y: -1, w: width + 8, h: 18 }, 6);
  context.fillStyle = faded(palette.ghost, 0.92);
  context.fill();
  write(context, "▾", 0, 12, { font: "small", colour: palette.dim });
  write(context, name, 13, 12, { font: "frame", colour: palette.ink, room: nameRoom });
  if (withRest) write(context, rest, 13 + nameRoom + 6, 12, { font: "small", colour: palette.dim, room: restRoom });
  context.restore();
}
