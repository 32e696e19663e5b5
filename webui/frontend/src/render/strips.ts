/** The card of a stack: one row or cell per instance, with the norm of its output. */
import type { Rect } from "../layout/geometry";
import { cellsOf, instancesOf, rangeName } from "../layout/strip";
import type { Card, Cell } from "../model/card";
import { number } from "../model/format";
import { WORDS } from "../model/overlay";
import { faded, type Palette } from "../theme/colour";
import { CARD, DETAIL, STRIP } from "../theme/scale";
import { box, type Brush, captionScale } from "./brush";
import { surface } from "./cards";
import { drawMarkedCells } from "./overlay";
import { write } from "./text";
import { t } from "../language/text";

export function drawStrip(brush: Brush, card: Card, rect: Rect): void {
  surface(brush, card, rect);
  if (brush.zoom < DETAIL.name) return;
  const { palette, context } = brush;
  const scale = captionScale(brush);
  const right = rect.x + rect.w - CARD.pad;
  const y = rect.y + 19;
  const room = rect.w - 2 * CARD.pad;
  const used = write(context, card.title, rect.x + CARD.pad, y, { font: "title", colour: palette.ink, room, scale });
  const forward = card.strip.some((cell) => cell.backward) ? t("gradient norm") : t("norm");
  const what = brush.overlay ? t(WORDS[brush.overlay.metric].name) : forward;
  if (room - used > 90 * scale)
    write(context, what, right, y, {
      font: "small",
      colour: palette.dim,
      align: "right",
      room: room - used - 8,
      scale,
    });
  if (brush.overlay) return drawMarkedCells(brush, brush.overlay, card, cellsOf(rect, card.strip.length));
  const ranges = { backward: rangeOf(card.strip, true), forward: rangeOf(card.strip, false) };
  const cells = cellsOf(rect, card.strip.length);
  const list = cells[0]!.w > STRIP.cell.w;
  cells.forEach((at, i) => {
    const [from, to] = instancesOf(i, card.strip.length);
    const cell = together(card.strip.slice(from, to));
    const range = cell.backward ? ranges.backward : ranges.forward;
    if (list) drawRow(brush, cell, at, range);
    else drawCell(brush, cell, at, range);
  });
}

/** Combines instances that share a cell: the greatest progress, and the largest norm. */
function together(cells: readonly Cell[]): Cell {
  const [first] = cells as [Cell];
  if (cells.length === 1) return first;
  const last = cells.at(-1)!;
  const running = cells.find((c) => c.phase === "running") ?? cells.find((c) => c.phase !== "absent") ?? first;
  const norms = cells.flatMap((c) => c.norm ?? []);
  return { ...running, label: rangeName(first.label, last.label), norm: norms.length > 0 ? Math.max(...norms) : null };
}

/** Logarithms of the smallest and the largest norm. */
function rangeOf(cells: readonly Cell[], backward: boolean): [number, number] {
  const logs = cells
    .flatMap((c) => (c.norm && c.backward === backward ? [Math.log10(c.norm)] : []))
    .filter(Number.isFinite);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  return logs.length === 0 ? [0, 1] : [Math.min(low, high - 1), high];
}

/** The position of a norm in its range; one that is not finite counts as largest. */
export const share = (norm: number, [low, high]: [number, number]): number =>
  Number.isFinite(norm) ? Math.max(0, Math.min(1, (Math.log10(norm) - low) / (high - low))) : 1;

/** The colours of an amount, as background and as text; an amount that is not finite has the error colour. */
function coloursOf({ norm, backward }: Cell, palette: Palette): { fill: string; ink: string } {
  if (norm !== null && !Number.isFinite(norm)) return { fill: palette.error, ink: palette.errorInk };
  return backward
    ? { fill: palette.gradient, ink: palette.gradientInk }
    : { fill: palette.value, ink: palette.valueInk };
}

function drawRow(brush: Brush, cell: Cell, at: Rect, range: [number, number]): void {
  const { context, palette } = brush;
  const scale = captionScale(brush);
  const baseline = at.y + at.h / 2 + 3.6 * scale;
  ring(brush, cell, at);
  const label = 62 * scale;
  write(context, cell.label, at.x + 6, baseline, { font: "tiny", colour: palette.ink, room: label, scale });
  const bar = { x: at.x + 10 + label, y: at.y + 4, w: at.w - label - 92 * scale, h: at.h - 8 };
  const { fill, ink } = coloursOf(cell, palette);
  if (cell.phase === "absent" || cell.norm === null) {
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeRect(bar.x, bar.y, bar.w * 0.6, bar.h);
    context.setLineDash([]);
  } else {
    context.fillStyle = faded(fill, 0.25 + 0.6 * share(cell.norm, range));
    context.fillRect(bar.x, bar.y, Math.max(3, bar.w * (0.15 + 0.85 * share(cell.norm, range))), bar.h);
  }
  write(context, amountOf(cell), at.x + at.w - 6, baseline, {
    font: "tiny",
    colour: cell.norm === null ? palette.dim : ink,
    align: "right",
    room: 78 * scale,
    scale,
  });
}

/** The number of characters that fit in a cell. */
const SHORT = 6;

const amountOf = (cell: Cell): string => {
  if (cell.phase === "absent") return t("not yet");
  if (cell.phase === "running" && cell.norm === null) return t("now");
  return cell.norm === null ? t("ran") : number(cell.norm, 3);
};

function drawCell(brush: Brush, cell: Cell, at: Rect, range: [number, number]): void {
  const { context, palette } = brush;
  const scale = captionScale(brush);
  const { fill } = coloursOf(cell, palette);
  box(context, at, 5);
  if (cell.norm !== null && cell.phase !== "absent") {
    context.fillStyle = faded(fill, 0.08 + 0.42 * share(cell.norm, range));
    context.fill();
  }
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  if (cell.phase === "absent") context.setLineDash([3, 3]);
  context.stroke();
  context.setLineDash([]);
  ring(brush, cell, at);
  const ink = cell.phase === "absent" ? palette.faint : palette.ink;
  write(context, cell.label, at.x + 5, at.y + 12, { font: "tiny", colour: ink, room: at.w - 8, scale });
  if (cell.norm === null) return;
  const exact = number(cell.norm, 2);
  const short = exact.length > SHORT ? number(Number(cell.norm.toPrecision(1)), 1) : exact;
  write(context, short, at.x + at.w / 2, at.y + at.h - 6, {
    font: "tiny",
    colour: palette.ink,
    align: "center",
    room: at.w - 4,
    scale,
  });
}

/** Draws a ring around the acting instance, and the one that is open beside the stack. */
export function ring(brush: Brush, cell: Cell, at: Rect): void {
  const { context, palette } = brush;
  if (cell.phase !== "running" && !cell.lens) return;
  box(context, at, 5);
  if (cell.phase === "running") {
    context.fillStyle = palette.highlight;
    context.fill();
  }
  context.strokeStyle = cell.phase === "running" ? palette.gradient : palette.strong;
  context.lineWidth = cell.phase === "running" ? 2 : 1.2;
  context.stroke();
}
