/** Small pictures of values, painted once and cached. */
import type { Value } from "../protocol";
import { grid, reach } from "../model/values";
import { errorRgb, heat, type Palette } from "../theme/colour";

type Picture = HTMLCanvasElement | OffscreenCanvas;

const pictures = new WeakMap<Palette, WeakMap<Value, Picture>>();

/** A picture with one pixel for each element; null without elements. */
export function picture(value: Value, palette: Palette): Picture | null {
  let mine = pictures.get(palette);
  if (!mine) pictures.set(palette, (mine = new WeakMap()));
  const known = mine.get(value);
  if (known) return known;
  const made = paint(value, palette);
  if (made) mine.set(value, made);
  return made;
}

function paint(value: Value, palette: Palette): Picture | null {
  const g = grid(value);
  if (!g) return null;
  const canvas = new OffscreenCanvas(g.cols, g.rows);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(g.cols, g.rows);
  const full = reach(value);
  g.data.forEach((x, i) => {
    const [r, green, b] = Number.isFinite(x) ? heat(x, full, palette) : errorRgb(palette);
    image.data.set([r, green, b, 255], i * 4);
  });
  context.putImageData(image, 0, 0);
  return canvas;
}
