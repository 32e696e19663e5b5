/** Draws the saved tensors of a node: a pin for each, grey once it is released. */
import type { Rect } from "../layout/geometry";
import type { Pin } from "../model/card";
import { faded } from "../theme/colour";
import { box, type Brush } from "./brush";
import { readableScale, widthOf, write } from "./text";

const PIN = { height: 15, gap: 4, most: 2 } as const;
const pinScale = (brush: Brush): number => readableScale(brush.zoom, 1.35);

/** Draws them on the lower edge, between the lanes. */
export function drawPins(brush: Brush, pins: Pin[], rect: Rect): void {
  if (pins.length === 0) return;
  const { context } = brush;
  const scale = pinScale(brush);
  const height = PIN.height * scale;
  const shown =
    pins.length > PIN.most ? [pins[0]!, { label: `+${pins.length - 1}`, released: pins[0]!.released }] : pins;
  const widths = shown.map((p) => (widthOf(context, p.label, "tiny") + 19) * scale);
  const total = widths.reduce((a, b) => a + b, 0) + PIN.gap * (shown.length - 1);
  let x = rect.x + rect.w / 2 - total / 2;
  shown.forEach((pin, i) => {
    drawPin(brush, pin, { x, y: rect.y + rect.h - height / 2, w: widths[i]!, h: height });
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
  const scale = pinScale(brush);
  context.beginPath();
  context.arc(area.x + 8 * scale, area.y + area.h / 2, 2.2 * scale, 0, 7);
  if (pin.released) {
    context.strokeStyle = colour;
    context.stroke();
  } else {
    context.fillStyle = palette.saved;
    context.fill();
  }
  write(context, pin.label, area.x + 13 * scale, area.y + 10.8 * scale, { font: "tiny", colour, scale });
}
