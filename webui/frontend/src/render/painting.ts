/** Paints the scene on its canvas with as little work as possible: only what changed, or cached tiles. */
import type { Rect } from "../layout/geometry";
import type { Brush } from "./brush";
import { type Camera, type Size, viewOf } from "../camera/camera";
import { Damage } from "./damage";
import type { Scene } from "./scene";
import { Tiles } from "./tiles";
import type { Look } from "./view";

/** All that decides what a frame shows. */
export interface Shot {
  scene: Scene;
  look: Look;
  camera: Camera;
  /** The place of the world's origin: layouts move it, while the visible part stays in place. */
  origin: { x: number; y: number };
  size: Size;
  ratio: number;
  /** The camera is moving. */
  gliding: boolean;
}

/** With more items than this in view, tiles are used. */
const TILES_ABOVE = 260;
/** If at most this many are in view, a changed large picture is painted directly, which is cheaper than its tiles. */
const FEW = 120;
/** The distance of the grid's dots in world units, and the smallest distance at which they are drawn. */
const [GRID, CLOSEST] = [24, 12];

export class Painting {
  private readonly context: CanvasRenderingContext2D;
  private readonly damage = new Damage();
  private readonly tiles = new Tiles((context, area, zoom) => this.paint(context, area, zoom));
  private changed = false;
  private shot: Shot | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
  }

  /** Handles changed content, rather than only a moved camera. */
  change(): void {
    this.changed = true;
    this.tiles.invalidate();
  }

  /** Clears the canvas: the next picture is painted completely. */
  clear(): void {
    this.damage.forget();
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /** Paints what is missing. True if there was not enough time in this frame. */
  draw(shot: Shot): boolean {
    this.shot = shot;
    const { scene, camera, size, ratio, gliding } = shot;
    const area = viewOf(camera, size);
    const fresh = this.changed;
    this.changed = false;
    let missing = false;
    if (scene.size > TILES_ABOVE && !gliding) {
      const few = scene.hasAtMost(FEW, area);
      if (!(fresh && few)) {
        this.clear();
        this.dots(shot, 0, 0, this.canvas.width, this.canvas.height);
        missing = this.tiles.draw(this.context, camera, size, ratio);
      }
      if (!few || !(fresh || missing)) return missing;
    }
    this.drawAfresh(shot, area, fresh);
    return missing;
  }

  /**
   * Paints only what differs from the last picture, if the camera is the same. A curve cut by a piece may differ
   * slightly there, which is not visible while a program runs; a moment that is viewed is painted completely.
   */
  private drawAfresh(shot: Shot, area: Rect, fresh: boolean): void {
    const { scene, look, camera, origin, size, ratio } = shot;
    const eye = [camera.x - origin.x, camera.y - origin.y].map((v) => Math.round(v * 1000));
    const rest = [
      ...eye,
      camera.zoom,
      size.width,
      size.height,
      ratio,
      look.palette,
      look.found,
      ...Object.values(look.overlay ?? {}),
    ];
    const pieces = this.damage.since(scene, this.brush(this.context, area, camera.zoom), { origin, rest });
    const whole = fresh && !look.growing;
    for (const piece of (whole ? null : pieces) ?? [area]) this.drawPiece(shot, piece);
  }

  /** Paints a piece, aligned to whole pixels so that no seam is visible. */
  private drawPiece(shot: Shot, piece: Rect): void {
    const { context, canvas } = this;
    const { camera, ratio } = shot;
    const scale = camera.zoom * ratio;
    const left = Math.max(0, Math.floor((piece.x - camera.x) * scale));
    const top = Math.max(0, Math.floor((piece.y - camera.y) * scale));
    const width = Math.min(canvas.width, Math.ceil((piece.x + piece.w - camera.x) * scale)) - left;
    const height = Math.min(canvas.height, Math.ceil((piece.y + piece.h - camera.y) * scale)) - top;
    if (width <= 0 || height <= 0) return;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.clearRect(left, top, width, height);
    this.dots(shot, left, top, width, height);
    context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
    const [x, y] = [left / scale + camera.x, top / scale + camera.y];
    this.paint(context, { x, y, w: width / scale, h: height / scale }, camera.zoom);
    context.restore();
  }

  private paint(context: CanvasRenderingContext2D, area: Rect, zoom: number): void {
    context.textBaseline = "alphabetic";
    this.shot!.scene.draw(this.brush(context, area, zoom));
  }

  private brush(context: CanvasRenderingContext2D, area: Rect, zoom: number): Brush {
    const { scene, look } = this.shot!;
    return { context, area, zoom, visible: scene.visible, ...look };
  }

  /** Draws a faint grid that moves with the world, so that panning is visible in empty areas. In pixels. */
  private dots({ camera, origin, ratio, look }: Shot, left: number, top: number, width: number, height: number): void {
    const step = GRID * camera.zoom * ratio;
    if (step < CLOSEST) return;
    const { context } = this;
    context.fillStyle = look.palette.grid;
    const first = (eye: number, from: number): number => {
      const start = -eye * camera.zoom * ratio;
      return start + Math.floor((from - start) / step) * step;
    };
    for (let y = first(camera.y - origin.y, top); y < top + height; y += step)
      for (let x = first(camera.x - origin.x, left); x < left + width; x += step) context.fillRect(x, y, ratio, ratio);
  }
}
