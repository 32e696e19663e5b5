/** Draws opened modules: a quiet frame with a name on it. */
import type { Rect } from "../layout/geometry";
import { count, moduleName, moduleType } from "../model/format";
import { LANE } from "../model/structure";
import type { Module } from "../model/visible";
import { faded } from "../theme/colour";
import { DETAIL, FRAME } from "../theme/scale";
import { box, type Brush } from "./brush";
import { write } from "./text";

export function drawFrame(brush: Brush, module: Module, rect: Rect): void {
  const { context, palette, zoom } = brush;
  const lane = module.segment.startsWith(LANE);
  box(context, rect, FRAME.radius);
  context.fillStyle = lane ? faded(palette.gradient, 0.05) : palette.frame;
  context.fill();
  context.strokeStyle = lane ? faded(palette.gradient, 0.4) : palette.line;
  context.lineWidth = Math.max(1, 0.7 / zoom);
  context.stroke();
  if (zoom < DETAIL.box * 0.7) return;
  const far = zoom < DETAIL.text;
  const scale = far ? Math.min(2.6, DETAIL.text / zoom) : 1;
  context.save();
  context.translate(rect.x + 13, rect.y + (far ? 8 + 11 * scale : 20));
  context.scale(scale, scale);
  let x = write(context, "▾", 0, 0, { font: "small", colour: palette.dim }) + 5;
  const room = rect.w / scale - 40;
  x += write(context, moduleName(module.segment), x, 0, { font: "frame", colour: palette.ink, room }) + 6;
  const rest = `${moduleType(module.segment)} · ${count(module.size, "op")}`;
  if (room - x > 30) write(context, rest, x, 0, { font: "small", colour: palette.dim, room: room - x });
  context.restore();
}
