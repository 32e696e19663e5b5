/** The context of every painting function, and the few shapes they share. */
import type { Rect } from "../layout/geometry";
import type { Range } from "../model/overlay";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import { norm, scalar } from "../model/values";
import type { Visible } from "../model/visible";
import { number } from "../model/format";
import type { AnyRecord, Value } from "../protocol";
import { t } from "../language/text";
import { faded, type Palette } from "../theme/colour";
import { picture } from "./heatmap";
import { readableScale, widthOf, write } from "./text";

export type Context = CanvasRenderingContext2D;

export interface Brush {
  context: Context;
  palette: Palette;
  zoom: number;
  /** The part of the world that is drawn. */
  area: Rect;
  graph: Structure;
  visible: Visible;
  state: State;
  event: AnyRecord | null;
  /** Keys that a search found; everything else is dimmed. */
  found: ReadonlySet<string> | null;
  /** The range of the colours of boxes and lines, if a metric is shown. */
  overlay: Range | null;
}

export function box(context: Context, r: Rect, radius: number): void {
  context.beginPath();
  context.roundRect(r.x, r.y, r.w, r.h, radius);
}

export const LARGEST_CAPTION = 1.4;

/** The factor by which captions and numbers are enlarged, as far as a card has room for them. */
export const captionScale = (brush: Brush): number => readableScale(brush.zoom, LARGEST_CAPTION);

/** Draws a value as a heatmap in a frame of its meaning's colour; a scalar is drawn as its number. */
export function valueBox(brush: Brush, value: Value, area: Rect, meaning: "value" | "gradient", colour?: string): void {
  const { context, palette } = brush;
  if (value.kind === "text") {
    const ink = meaning === "value" ? palette.valueInk : palette.gradientInk;
    write(context, value.text || "(nothing)", area.x, area.y + area.h / 2 + 4, {
      font: "small",
      colour: value.text ? ink : palette.faint,
      room: area.w,
      scale: captionScale(brush),
    });
    return;
  }
  const single = scalar(value);
  if (single !== null) {
    const ink = colour ?? (meaning === "value" ? palette.valueInk : palette.gradientInk);
    const scale = captionScale(brush);
    write(context, number(single), area.x + area.w / 2, area.y + area.h / 2 + 2 + 3 * scale, {
      font: area.h < 18 ? "mono" : "number",
      scale,
      colour: Number.isFinite(single) ? ink : palette.errorInk,
      align: "center",
      room: area.w,
    });
    return;
  }
  const shown = picture(value, palette);
  const bare = bareNumber(value);
  if (!shown && bare !== null) {
    const ink = colour ?? (meaning === "value" ? palette.valueInk : palette.gradientInk);
    const how = { font: "small", colour: ink, align: "center", room: area.w, scale: captionScale(brush) } as const;
    write(context, bare, area.x + area.w / 2, area.y + area.h / 2 + 4 * how.scale, how);
    return;
  }
  if (shown) {
    context.imageSmoothingEnabled = false;
    context.drawImage(shown, area.x, area.y, area.w, area.h);
  } else {
    context.fillStyle = palette.bg;
    context.fillRect(area.x, area.y, area.w, area.h);
  }
  context.strokeStyle = colour ?? faded(meaning === "value" ? palette.value : palette.gradient, 0.65);
  context.lineWidth = 1;
  if (value.kind === "sampled") context.setLineDash([1.5, 1.5]);
  context.strokeRect(area.x, area.y, area.w, area.h);
  context.setLineDash([]);
}

/** What stands for a value of which no elements were taken: its number, else its norm. */
export function bareNumber(value: Value): string | null {
  if (value.kind !== "stats") return null;
  const length = norm(value);
  if (length === null || !Number.isFinite(length)) return null;
  const single = value.min != null && value.min === value.max && Math.abs(value.min) === length;
  return single ? number(value.min) : t("norm {norm}", { norm: number(length, length < 0.1 ? 2 : 3) });
}

export function dashedBox(context: Context, area: Rect, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.strokeRect(area.x, area.y, area.w, area.h);
  context.setLineDash([]);
}

/** The width of what `dots` draws. */
export function dotsWidth(brush: Brush, arrived: number, expected: number): number {
  if (expected < 2) return 0;
  const counted = widthOf(brush.context, `${arrived}/${expected}`, "tiny") * captionScale(brush);
  return expected > 5 ? counted : 9 * expected;
}

/** Draws one dot for each contribution, filled when it has arrived. */
export function dots(brush: Brush, arrived: number, expected: number, right: number, y: number, colour: string): void {
  if (expected < 2) return;
  const { context, palette } = brush;
  if (expected > 5) {
    write(context, `${arrived}/${expected}`, right, y + 3, {
      font: "tiny",
      colour: arrived ? colour : palette.faint,
      align: "right",
      scale: captionScale(brush),
    });
    return;
  }
  for (let i = 0; i < expected; i++) {
    context.beginPath();
    context.arc(right - 3 - (expected - 1 - i) * 9, y, 2.8, 0, 7);
    if (i < arrived) {
      context.fillStyle = colour;
      context.fill();
    } else {
      context.strokeStyle = palette.faint;
      context.lineWidth = 1;
      context.stroke();
    }
  }
}
