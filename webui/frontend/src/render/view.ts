/**
 * The picture on the screen. Two canvases: the scene below, drawn when it changes, and a thin layer above for what
 * follows the pointer. The rest of the app sees only this class, so that another renderer could take its place.
 */
import type { Placement } from "../layout/compose";
import type { Rect } from "../layout/geometry";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import type { Visible } from "../model/visible";
import type { AnyRecord } from "../protocol";
import type { Palette } from "../theme/colour";
import { faded } from "../theme/colour";
import { CARD, SANS, TYPE } from "../theme/scale";
import type { Brush } from "./brush";
import { type Camera, firstLook, fit, reveal, type Size, toScreen, toWorld, viewOf, zoomAt } from "./camera";
import { outline } from "./cards";
import { Scene, type Hit } from "./scene";
import { asContext, SvgContext } from "./svg";
import { Tiles } from "./tiles";

/** Everything that decides what is drawn, apart from the camera. */
export interface Look {
  graph: Structure;
  state: State;
  event: AnyRecord | null;
  palette: Palette;
  found: ReadonlySet<string> | null;
  selected: string | null;
  /** Where the program is held; `next` is an op that has no place yet, and is about to take what is there. */
  paused?: { key: string; next: string | null } | null;
  /** Keys that the current event is about. */
  active: readonly string[];
  /** From what changed a tensor to what had saved it. */
  stale: readonly (readonly [string, string])[];
}

/** Up to so many things a frame is drawn afresh; beyond, from tiles. */
const TILES_ABOVE = 260;
/** So few in sight are drawn afresh in a larger picture too when it has changed: cheaper than the squares they lie in. */
const FEW = 120;
const GLIDE_MS = 180;

const LARGEST_PICTURE = 12_000;

const margined = (r: Rect): Rect => ({ x: r.x - 24, y: r.y - 24, w: r.w + 48 + 40, h: r.h + 48 });

export class GraphView {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene | null = null;
  hovered: string | null = null;
  calm = false;
  readonly frameMs: number[] = [];

  private look: Look | null = null;
  private size: Size = { width: 1, height: 1 };
  private ratio = 1;
  private frame = 0;
  private glide: { from: Camera; to: Camera; start: number } | null = null;
  /** Whether each new picture comes into sight as a whole, until somebody moves it. */
  framed = false;
  private moved = false;
  private changed = false;
  private readonly tiles = new Tiles((context, area, zoom) => this.paint(context, area, zoom));

  constructor(
    private readonly base: HTMLCanvasElement,
    private readonly top: HTMLCanvasElement,
    private readonly onIdle: (idle: boolean) => void,
  ) {}

  resize(size: Size): void {
    this.size = size;
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.base, this.top]) {
      canvas.width = Math.round(size.width * this.ratio);
      canvas.height = Math.round(size.height * this.ratio);
    }
    this.frameAll();
    this.refresh();
  }

  show(look: Look): void {
    this.look = look;
    this.refresh();
  }

  /** New places, perhaps of another graph. What is in sight in both stays where it is on the screen. */
  arrange(visible: Visible, placement: Placement, anchor: string | null, other: boolean): void {
    const before = this.scene;
    if (other) this.moved = false;
    this.scene = new Scene(visible, placement);
    if (before === null) this.camera = firstLook(placement.bounds, this.size);
    else this.keepInPlace(before, this.scene, anchor);
    if (anchor === null) this.frameAll();
    this.refresh();
  }

  /** The same places for other ids. */
  relabel(visible: Visible): void {
    if (this.scene) this.scene = new Scene(visible, this.scene.placement);
    this.repaint();
  }

  repaint(): void {
    this.refresh();
  }

  private frameAll(): void {
    if (!this.framed || this.moved || !this.scene) return;
    this.glide = null;
    this.camera = firstLook(this.scene.placement.bounds, this.size);
  }

  private keepInPlace(before: Scene, after: Scene, anchor: string | null): void {
    const key = anchor ?? [...before.placement.boxes.keys()].find((k) => after.rectOf(k));
    const [a, b] = [key ? before.rectOf(key) : null, key ? after.rectOf(key) : null];
    if (!a || !b) this.camera = firstLook(after.placement.bounds, this.size);
    else this.camera = { ...this.camera, x: this.camera.x + b.x - a.x, y: this.camera.y + b.y - a.y };
  }

  pan(dx: number, dy: number): void {
    this.moved = true;
    this.glide = null;
    const { x, y, zoom } = this.camera;
    this.camera = { x: x - dx / zoom, y: y - dy / zoom, zoom };
    this.redraw();
  }

  zoomBy(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    this.moved = true;
    if (this.glide) this.camera = this.glide.to;
    this.glide = null;
    this.camera = zoomAt(this.camera, x, y, factor);
    this.redraw();
  }

  fit(): void {
    if (this.scene) this.glideTo(fit(this.scene.placement.bounds, this.size));
  }

  firstLook(): void {
    if (this.scene) this.glideTo(firstLook(this.scene.placement.bounds, this.size));
  }

  reveal(key: string): void {
    const rect = this.scene?.rectOf(key);
    if (rect) this.glideTo(reveal(this.camera, rect, this.size));
  }

  hit(x: number, y: number): Hit | null {
    return this.scene?.hit(...toWorld(this.camera, x, y)) ?? null;
  }

  hover(key: string | null): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.redraw();
  }

  /** Where an item is on the screen, for tests and for things that point at it. */
  screenRect(key: string): Rect | null {
    const rect = this.scene?.rectOf(key);
    if (!rect) return null;
    const [x, y] = toScreen(this.camera, rect.x, rect.y);
    return { x, y, w: rect.w * this.camera.zoom, h: rect.h * this.camera.zoom };
  }

  /** The whole picture at this moment, as it is on the screen: folded and opened, in this theme. */
  toSvg(): string | null {
    const { look, scene } = this;
    if (!look || !scene) return null;
    const svg = new SvgContext();
    const area = margined(scene.placement.bounds);
    scene.draw({ context: asContext(svg), zoom: 1, visible: scene.visible, ...look }, area);
    return svg.document(area.x, area.y, area.w, area.h, look.palette.bg);
  }

  toPng(): Promise<Blob | null> {
    const { look, scene } = this;
    if (!look || !scene) return Promise.resolve(null);
    const area = margined(scene.placement.bounds);
    const scale = Math.min(2, LARGEST_PICTURE / area.w, LARGEST_PICTURE / area.h);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(area.w * scale);
    canvas.height = Math.ceil(area.h * scale);
    const context = canvas.getContext("2d")!;
    context.fillStyle = look.palette.bg;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale, 0, 0, scale, -area.x * scale, -area.y * scale);
    scene.draw({ context, zoom: 1, visible: scene.visible, ...look }, area);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  private glideTo(to: Camera): void {
    const { camera } = this;
    if (camera.x === to.x && camera.y === to.y && camera.zoom === to.zoom) return;
    if (this.calm) this.camera = to;
    else this.glide = { from: camera, to, start: performance.now() };
    this.redraw();
  }

  redraw(): void {
    if (this.frame) return;
    this.onIdle(false);
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      const start = performance.now();
      const more = this.drawNow(now);
      this.frameMs.push(performance.now() - start);
      if (this.frameMs.length > 400) this.frameMs.shift();
      if (more) this.redraw();
      else this.onIdle(true);
    });
  }

  private drawNow(now: number): boolean {
    this.advance(now);
    const missing = this.drawBase();
    this.drawTop();
    return missing || this.glide !== null;
  }

  private advance(now: number): void {
    if (!this.glide) return;
    const { from, to, start } = this.glide;
    const t = Math.min(1, Math.max(0, (now - start) / GLIDE_MS));
    const eased = 1 - (1 - t) ** 3;
    const mix = (a: number, b: number): number => a + (b - a) * eased;
    this.camera = t === 1 ? to : { x: mix(from.x, to.x), y: mix(from.y, to.y), zoom: mix(from.zoom, to.zoom) };
    if (t === 1) this.glide = null;
  }

  private drawBase(): boolean {
    const context = this.base.getContext("2d")!;
    this.wipe(context);
    if (!this.scene || !this.look) return false;
    const area = viewOf(this.camera, this.size);
    const fresh = this.changed;
    this.changed = false;
    let missing = false;
    if (this.scene.size > TILES_ABOVE && !this.glide) {
      const few = this.scene.hasAtMost(FEW, area);
      missing = !(fresh && few) && this.tiles.draw(context, this.camera, this.size, this.ratio);
      if (!few || !(fresh || missing)) return missing;
      this.wipe(context);
    }
    this.toWorldTransform(context);
    this.paint(context, area, this.camera.zoom);
    return missing;
  }

  private wipe(context: CanvasRenderingContext2D): void {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.base.width, this.base.height);
    if (this.scene && this.look) this.dots(context);
  }

  /** What is drawn has changed, not only the camera. */
  private refresh(): void {
    this.changed = true;
    this.tiles.invalidate();
    this.redraw();
  }

  /** A faint grid that moves with the world, so that panning is felt on an empty stretch too. */
  private dots(context: CanvasRenderingContext2D): void {
    const step = 24 * this.camera.zoom * this.ratio;
    if (step < 12) return;
    context.fillStyle = this.look!.palette.grid;
    const start = (v: number): number => ((-v * this.camera.zoom * this.ratio) % step) - step;
    const r = this.ratio;
    for (let y = start(this.camera.y); y < this.base.height; y += step)
      for (let x = start(this.camera.x); x < this.base.width; x += step) context.fillRect(x, y, r, r);
  }

  private toWorldTransform(context: CanvasRenderingContext2D): void {
    const scale = this.camera.zoom * this.ratio;
    context.setTransform(scale, 0, 0, scale, -this.camera.x * scale, -this.camera.y * scale);
  }

  private paint(context: CanvasRenderingContext2D, area: Rect, zoom: number): void {
    const { look, scene } = this;
    if (!look || !scene) return;
    const brush: Brush = { context, zoom, visible: scene.visible, ...look };
    context.textBaseline = "alphabetic";
    scene.draw(brush, area);
  }

  private drawTop(): void {
    const context = this.top.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.top.width, this.top.height);
    const { look, scene } = this;
    if (!look || !scene) return;
    this.toWorldTransform(context);
    const ring = (key: string | null, colour: string, gap: number, width: number): void => {
      const rect = key === null ? null : scene.rectOf(key);
      if (rect) outline(context, rect, colour, this.camera.zoom, gap, width);
    };
    for (const [from, to] of look.stale) this.redLine(context, from, to, look.palette.error);
    for (const key of look.active) ring(key, faded(look.palette.gradient, 0.45), 5, 3);
    if (this.hovered !== look.selected) ring(this.hovered, look.palette.faint, 0, 1.5);
    ring(look.selected, look.palette.ink, 3, 2);
    if (look.paused) this.pauseSign(context, look.paused.key, look.paused.next, look.palette);
  }

  /** A thick ring, and two bars in a disc at its corner, of the same size at every zoom. */
  private pauseSign(context: CanvasRenderingContext2D, key: string, next: string | null, palette: Palette): void {
    const rect = this.scene?.rectOf(key);
    if (!rect) return;
    const { zoom } = this.camera;
    const r = 11 / zoom;
    const below = rect.y + rect.h + 34 / zoom;
    const [x, y] = next === null ? [rect.x - 2 / zoom, rect.y - 2 / zoom] : [rect.x + CARD.forward, below];
    if (next === null) outline(context, rect, palette.ink, zoom, 4, 4);
    else this.onward(context, x, rect.y + rect.h, below, next, palette);
    context.fillStyle = palette.ink;
    context.beginPath();
    context.arc(x, y, r, 0, 7);
    context.fill();
    context.fillStyle = palette.panel;
    for (const side of [-1, 0.25]) context.fillRect(x + side * r * 0.4, y - r * 0.45, r * 0.3, r * 0.9);
  }

  /** A dashed line out of a box to the op that comes next, by its name. */
  private onward(
    context: CanvasRenderingContext2D,
    x: number,
    from: number,
    to: number,
    next: string,
    palette: Palette,
  ): void {
    const { zoom } = this.camera;
    context.strokeStyle = context.fillStyle = palette.ink;
    context.lineWidth = 2 / zoom;
    context.setLineDash([4 / zoom, 4 / zoom]);
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to);
    context.stroke();
    context.setLineDash([]);
    context.font = `600 ${TYPE.base / zoom}px ${SANS}`;
    context.fillText(`${next} is next`, x + 18 / zoom, to + 5 / zoom);
  }

  /** The mutation reaches back to the node that needed the old value. */
  private redLine(context: CanvasRenderingContext2D, from: string, to: string, colour: string): void {
    const [a, b] = [this.scene?.rectOf(from), this.scene?.rectOf(to)];
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
