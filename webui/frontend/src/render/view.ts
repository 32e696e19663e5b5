/**
 * The picture on the screen. It has two canvases: the scene below, painted when it changes, and a thin layer above for
 * what follows the pointer. The rest of the app uses only this class, so another renderer could replace it.
 */
import type { Placement } from "../layout/compose";
import type { Rect } from "../layout/geometry";
import type { Range } from "../model/overlay";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import type { Visible } from "../model/visible";
import type { AnyRecord } from "../protocol";
import type { Palette } from "../theme/colour";
import { type Camera, onScreen, type Size, toWorld, viewOf, zoomAt } from "../camera/camera";
import { Glide } from "../camera/glide";
import { centred, fitting, type Pane } from "../camera/shot";
import { Painting } from "./painting";
import { type Hit, Scene, type Thing } from "./scene";
import { Signs } from "./signs";
import { asContext, SvgContext } from "./svg";

/** All that decides what is drawn, apart from the camera. */
export interface Look {
  graph: Structure;
  state: State;
  event: AnyRecord | null;
  /** Whether a program is adding to it. */
  growing: boolean;
  palette: Palette;
  found: ReadonlySet<string> | null;
  overlay: Range | null;
  selected: string | null;
  /** Where the program is paused. `next` is an op without a place that is about to take its inputs. */
  paused?: { key: string; next: string | null } | null;
  /** Keys that the current event is about. */
  active: readonly string[];
  /** Pairs of the item that changed a tensor and the one that had saved it. */
  stale: readonly (readonly [string, string])[];
}

const LARGEST_PICTURE = 12_000;

const same = (a: Camera, b: Camera): boolean => a.x === b.x && a.y === b.y && a.zoom === b.zoom;

const isBox = (thing: Thing): boolean => thing.layer === 2 || (thing.layer === 3 && thing.name !== "");

const margined = (r: Rect): Rect => ({ x: r.x - 24, y: r.y - 24, w: r.w + 48 + 40, h: r.h + 48 });

export class GraphView {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene | null = null;
  hovered: string | null = null;
  calm = false;
  readonly frameMs: number[] = [];

  private look: Look | null = null;
  /** The origin of the grid: new places have new coordinates, while the visible part stays in place. */
  private origin = { x: 0, y: 0 };
  private size: Size = { width: 1, height: 1 };
  private ratio = 1;
  private frame = 0;
  private glide: Glide | null = null;
  /** Called when the user moves the camera. */
  moved: (camera: Camera) => void = () => undefined;
  /** Called with the camera in every frame. */
  turned: (camera: Camera) => void = () => undefined;
  /** Called when the camera has stopped. */
  rested: () => void = () => undefined;
  private readonly painting: Painting;

  constructor(
    private readonly base: HTMLCanvasElement,
    private readonly top: HTMLCanvasElement,
    private readonly onIdle: (idle: boolean) => void,
    /** The margins covered by other elements, in pixels from each side. */
    private readonly covered: () => Pane["covered"],
  ) {
    this.painting = new Painting(base);
  }

  resize(size: Size): void {
    this.size = size;
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.base, this.top]) {
      canvas.width = Math.round(size.width * this.ratio);
      canvas.height = Math.round(size.height * this.ratio);
    }
    this.painting.clear();
    this.refresh();
  }

  get pane(): Pane {
    return { ...this.size, covered: this.covered() };
  }

  show(look: Look): void {
    this.look = look;
    this.refresh();
  }

  /** Sets new places. The world has moved by `dx`, `dy`, and camera and grid move with it. */
  arrange(visible: Visible, placement: Placement, dx: number, dy: number): void {
    this.scene = new Scene(visible, placement, this.namesKept(visible));
    this.camera = { ...this.camera, x: this.camera.x + dx, y: this.camera.y + dy };
    this.glide = this.glide?.moved(dx, dy) ?? null;
    this.origin = { x: this.origin.x + dx, y: this.origin.y + dy };
    this.refresh();
  }

  /** Uses the same places for other ids. */
  relabel(visible: Visible): void {
    if (this.scene) this.scene = new Scene(visible, this.scene.placement, this.namesKept(visible));
    this.refresh();
  }

  /** The names of the boxes that the step before had, for the places that this one has not reached yet. */
  private namesKept(next: Visible): Map<string, string> | undefined {
    return this.look?.growing ? this.scene?.namesKept(next, this.look.graph, this.look.state) : undefined;
  }

  /** Paints everything again although nothing has changed, because fonts were loaded. */
  repaint(): void {
    this.painting.clear();
    this.refresh();
  }

  /** Handles changed content, rather than only a moved camera. */
  private refresh(): void {
    this.painting.change();
    this.redraw();
  }

  /** Moves the camera: at once, also where it is on its way there, or smoothly. */
  turn(to: Camera, cut: boolean): void {
    if (same(this.glide?.to ?? this.camera, to) && !(cut && this.glide)) return;
    const now = performance.now();
    this.glide = cut || this.calm ? null : (this.glide?.on(to, now) ?? new Glide(this.camera, to, now));
    if (!this.glide) this.camera = to;
    this.redraw();
  }

  pan(dx: number, dy: number): void {
    const { x, y, zoom } = this.camera;
    this.moved({ x: x - dx / zoom, y: y - dy / zoom, zoom });
  }

  zoomBy(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    this.moved(zoomAt(this.glide?.to ?? this.camera, x, y, factor));
  }

  /** Shows the whole picture, however small. */
  fit(): void {
    const bounds = this.scene?.placement.bounds;
    if (bounds) this.moved(centred(bounds, fitting(bounds, this.pane), this.pane));
  }

  hit(x: number, y: number): Hit | null {
    return this.scene?.hit(...toWorld(this.camera, x, y)) ?? null;
  }

  hover(key: string | null): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.redraw();
  }

  /** The place of an item on the screen, for tests and pointers. */
  screenRect(key: string): Rect | null {
    const rect = this.scene?.rectOf(key);
    if (!rect) return null;
    return onScreen(this.camera, rect);
  }

  /** The number of items that are at least partly visible, with those that are yet to come in this step. */
  boxesInSight(): number {
    let count = 0;
    this.scene?.each(viewOf(this.camera, this.size), (thing) => (count += isBox(thing) ? 1 : 0));
    return count;
  }

  /** The whole picture at this moment as SVG, with the current folds and theme. */
  toSvg(): string | null {
    const { look, scene } = this;
    if (!look || !scene) return null;
    const svg = new SvgContext();
    const area = margined(scene.placement.bounds);
    scene.draw({ context: asContext(svg), area, zoom: 1, visible: scene.visible, ...look });
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
    scene.draw({ context, area, zoom: 1, visible: scene.visible, ...look });
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
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
      else this.rest();
    });
  }

  private rest(): void {
    if (this.scene) this.rested();
    this.onIdle(true);
  }

  private drawNow(now: number): boolean {
    this.advance(now);
    this.turned(this.camera);
    const missing = this.drawBase();
    this.drawTop();
    return missing || this.glide !== null;
  }

  private advance(now: number): void {
    if (!this.glide) return;
    this.camera = this.glide.at(now);
    if (this.glide.isOver(now)) this.glide = null;
  }

  private drawBase(): boolean {
    const { scene, look, camera, origin, size, ratio, glide } = this;
    if (scene && look) return this.painting.draw({ scene, look, camera, origin, size, ratio, gliding: glide !== null });
    this.painting.clear();
    return false;
  }

  private drawTop(): void {
    const context = this.top.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.top.width, this.top.height);
    const { look, scene } = this;
    if (!look || !scene) return;
    const scale = this.camera.zoom * this.ratio;
    context.setTransform(scale, 0, 0, scale, -this.camera.x * scale, -this.camera.y * scale);
    new Signs(context, (key) => scene.rectOf(key), this.camera.zoom).draw(look, this.hovered);
  }
}
