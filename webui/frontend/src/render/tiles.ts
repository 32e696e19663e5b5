/**
 * Tiles of the picture, painted once and moved. Panning over ten thousand nodes then needs only a few image copies per
 * frame; missing tiles are painted a few at a time, from the middle outward.
 */
import type { Rect } from "../layout/geometry";
import type { Camera, Size } from "../camera/camera";
import { viewOf } from "../camera/camera";

const SIDE = 512;
const KEEP = 60;
const BUDGET_MS = 2;

export type PaintArea = (context: CanvasRenderingContext2D, area: Rect, zoom: number) => void;

interface Tile {
  canvas: HTMLCanvasElement;
  used: number;
}

export class Tiles {
  private readonly tiles = new Map<string, Tile>();
  private readonly stale = new Map<string, Tile>();
  private zoom = 0;
  private clock = 0;

  constructor(private readonly paint: PaintArea) {}

  /** Marks all tiles as old. They stay visible until they are replaced. */
  invalidate(): void {
    for (const [key, tile] of this.tiles) this.stale.set(key, tile);
    this.tiles.clear();
  }

  /** Draws the tiles of the view; true if some are still missing. */
  draw(context: CanvasRenderingContext2D, camera: Camera, size: Size, ratio: number): boolean {
    if (camera.zoom !== this.zoom) {
      this.tiles.clear();
      this.stale.clear();
      this.zoom = camera.zoom;
    }
    this.clock += 1;
    const view = viewOf(camera, size);
    const span = SIDE / camera.zoom;
    const wanted = cover(view, span);
    const start = performance.now();
    let missing = false;
    for (const [column, row] of wanted) {
      const key = `${column} ${row}`;
      let tile = this.tiles.get(key);
      if (!tile && performance.now() - start < BUDGET_MS) {
        tile = { canvas: this.render(column, row, span, ratio), used: this.clock };
        this.tiles.set(key, tile);
        this.stale.delete(key);
      }
      missing ||= !tile;
      const shown = tile ?? this.stale.get(key);
      if (!shown) continue;
      shown.used = this.clock;
      const x = Math.round((column * span - camera.x) * camera.zoom * ratio);
      const y = Math.round((row * span - camera.y) * camera.zoom * ratio);
      context.drawImage(shown.canvas, x, y);
    }
    this.forget();
    return missing;
  }

  private render(column: number, row: number, span: number, ratio: number): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil(SIDE * ratio);
    const context = canvas.getContext("2d")!;
    const scale = this.zoom * ratio;
    context.setTransform(scale, 0, 0, scale, -column * span * scale, -row * span * scale);
    this.paint(context, { x: column * span, y: row * span, w: span, h: span }, this.zoom);
    return canvas;
  }

  private forget(): void {
    if (this.tiles.size <= KEEP) return;
    const oldest = [...this.tiles].sort((a, b) => a[1].used - b[1].used).slice(0, this.tiles.size - KEEP);
    for (const [key] of oldest) this.tiles.delete(key);
  }
}

function cover(view: Rect, span: number): [number, number][] {
  const out: [number, number][] = [];
  const [left, top] = [Math.floor(view.x / span), Math.floor(view.y / span)];
  const [right, bottom] = [Math.floor((view.x + view.w) / span), Math.floor((view.y + view.h) / span)];
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) out.push([column, row]);
  const [mx, my] = [(left + right) / 2, (top + bottom) / 2];
  return out.sort((a, b) => Math.hypot(a[0] - mx, a[1] - my) - Math.hypot(b[0] - mx, b[1] - my));
}
