/** The signs above the picture: rings around boxes, the place of a pause, and lines that are no data. */
import type { Rect } from "../layout/geometry";
import { faded, type Palette } from "../theme/colour";
import { CARD, SANS, TYPE } from "../theme/scale";
import { outline, radiusOf } from "./cards";
import type { Look } from "./view";
import { t } from "../language/text";

/** The layer above the scene. `rectOf` gives the place of an item. Lines and discs have the same size at every zoom. */
export class Signs {
  constructor(
    readonly context: CanvasRenderingContext2D,
    private readonly rectOf: (key: string) => Rect | null,
    readonly zoom: number,
  ) {}

  draw(look: Look, hovered: string | null): void {
    const { palette } = look;
    for (const [from, to] of look.stale) this.redLine(from, to, palette.error);
    for (const key of look.active) this.ring(key, faded(palette.gradient, 0.45), 5, 3);
    if (hovered !== look.selected) this.ring(hovered, palette.faint, 0, 1.5);
    this.ring(look.selected, palette.ink, 3, 2);
    if (look.paused) this.pauseSign(look.paused.key, look.paused.next, palette);
  }

  private ring(key: string | null, colour: string, gap: number, width: number): void {
    const rect = key === null ? null : this.rectOf(key);
    if (rect) outline(this, rect, this.radius(key!, rect), colour, gap, width);
  }

  private radius(key: string, rect: Rect): number {
    return radiusOf(key.startsWith("t") ? "leaf" : "op", rect);
  }

  /** Draws a thick ring, and two bars in a disc at its corner. */
  private pauseSign(key: string, next: string | null, palette: Palette): void {
    const rect = this.rectOf(key);
    if (!rect) return;
    const { context, zoom } = this;
    const r = 11 / zoom;
    const below = rect.y + rect.h + 34 / zoom;
    const [x, y] = next === null ? [rect.x - 2 / zoom, rect.y - 2 / zoom] : [rect.x + CARD.forward, below];
    if (next === null) outline(this, rect, this.radius(key, rect), palette.ink, 4, 4);
    else this.onward(x, rect.y + rect.h, below, next, palette);
    context.fillStyle = palette.ink;
    context.beginPath();
    context.arc(x, y, r, 0, 7);
    context.fill();
    context.fillStyle = palette.panel;
    for (const side of [-1, 0.25]) context.fillRect(x + side * r * 0.4, y - r * 0.45, r * 0.3, r * 0.9);
  }

  /** Draws a dashed line from a box to the name of the op that comes next. */
  private onward(x: number, from: number, to: number, next: string, palette: Palette): void {
    const { context, zoom } = this;
    context.strokeStyle = context.fillStyle = palette.ink;
    context.lineWidth = 2 / zoom;
    context.setLineDash([4 / zoom, 4 / zoom]);
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to);
    context.stroke();
    context.setLineDash([]);
    context.font = `600 ${TYPE.base / zoom}px ${SANS}`;
    context.fillText(t("{op} is next", { op: next }), x + 18 / zoom, to + 5 / zoom);
  }

  /** Draws a line from the mutation back to the node that needed the old value. */
  private redLine(from: string, to: string, colour: string): void {
    const { context } = this;
    const [a, b] = [this.rectOf(from), this.rectOf(to)];
    if (!a || !b || from === to) return;
    const beside = b.x + b.w < a.x || a.x + a.w < b.x;
    const leftward = !beside || b.x < a.x;
    const x0 = beside && !leftward ? a.x + a.w : a.x;
    const x1 = beside && leftward ? b.x + b.w : b.x;
    const [y0, y1] = [a.y + a.h / 2, b.y + b.h / 2];
    const into = beside && leftward ? 1 : -1;
    const out = beside ? 0 : 70;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 2.4;
    context.setLineDash([7, 4]);
    context.beginPath();
    context.moveTo(x0, y0);
    if (beside) context.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1 + into * 8, y1);
    else context.bezierCurveTo(x0 - out, y0, x1 - out, y1, x1 - 8, y1);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 + into * 10, y1 - 5);
    context.lineTo(x1 + into * 10, y1 + 5);
    context.fill();
  }
}
