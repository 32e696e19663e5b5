/**
 * The picture on the screen. Two canvases: the scene below, drawn when it changes, and a thin layer above for what
 * follows the pointer. The rest of the app sees only this class, so that another renderer could take its place.
 */
import type { Placement } from "../layout/compose";
import type { Rect } from "../layout/geometry";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import type { Aim } from "../model/url";
import { isRank } from "../model/module";
import type { Visible } from "../model/visible";
import type { AnyRecord } from "../protocol";
import type { Palette } from "../theme/colour";
import { aimOf, type Camera, cameraAt, fit, lead, reveal, type Size, toScreen, toWorld, zoomAt } from "./camera";
import { Painting } from "./painting";
import { type Hit, Scene } from "./scene";
import { Signs } from "./signs";
import { asContext, SvgContext } from "./svg";

/** Everything that decides what is drawn, apart from the camera. */
export interface Look {
  graph: Structure;
  state: State;
  event: AnyRecord | null;
  /** Whether a program adds to it now. */
  growing: boolean;
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

const GLIDE_MS = 180;

const LARGEST_PICTURE = 12_000;

const same = (a: Camera, b: Camera): boolean => a.x === b.x && a.y === b.y && a.zoom === b.zoom;

const margined = (r: Rect): Rect => ({ x: r.x - 24, y: r.y - 24, w: r.w + 48 + 40, h: r.h + 48 });

export class GraphView {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene | null = null;
  hovered: string | null = null;
  calm = false;
  readonly frameMs: number[] = [];

  private look: Look | null = null;
  /** Where the grid begins: new places are new numbers, and what is seen stays where it is. */
  private origin = { x: 0, y: 0 };
  private size: Size = { width: 1, height: 1 };
  private ratio = 1;
  private frame = 0;
  private glide: { from: Camera; to: Camera; start: number } | null = null;
  /** Whether each new picture comes into sight as a whole, until somebody moves it. */
  framed = false;
  private moved = false;
  /** Where a link says to look; kept over the interim pictures of a layout, until somebody looks elsewhere. */
  private wanted: Aim | null = null;
  /** Whether the camera stands where it did at first. */
  private atFirst = true;
  /** Whether the camera goes with what is new: until somebody looks elsewhere. */
  private following = true;
  /** Told when it does no longer. */
  left: () => void = () => undefined;
  /** Told where the camera has come to rest; null where it is as at first. */
  aimed: (aim: Aim | null) => void = () => undefined;
  private readonly painting: Painting;

  constructor(
    private readonly base: HTMLCanvasElement,
    private readonly top: HTMLCanvasElement,
    private readonly onIdle: (idle: boolean) => void,
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
    this.frameAll();
    if (this.wanted) this.aim(this.wanted);
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
    if (before === null || (this.atFirst && lanesOf(visible) > lanesOf(before.visible))) this.lookFirst();
    else this.keepInPlace(before, this.scene, anchor);
    if (anchor === null) this.frameAll();
    if (this.wanted) this.aim(this.wanted);
    this.refresh();
  }

  /** The same places for other ids. */
  relabel(visible: Visible): void {
    if (this.scene) this.scene = new Scene(visible, this.scene.placement);
    this.refresh();
  }

  /** All of it, though nothing has changed: the fonts have come. */
  repaint(): void {
    this.painting.clear();
    this.refresh();
  }

  /** What is drawn has changed, not only the camera. */
  private refresh(): void {
    this.painting.change();
    this.redraw();
  }

  private frameAll(): void {
    if (!this.framed || this.moved || !this.scene) return;
    this.glide = null;
    this.lookFirst();
  }

  private lookFirst(): void {
    this.camera = this.scene!.firstLook(this.size);
    this.atFirst = true;
  }

  /** Looks exactly there, now and in what is still to be laid out; null asks for nothing. */
  aim(aim: Aim | null): void {
    this.wanted = aim;
    if (aim === null) return;
    this.glide = null;
    this.moved = true;
    this.atFirst = false;
    this.camera = cameraAt(aim, this.size);
    this.redraw();
  }

  /** Whether a link says where to look. */
  get aiming(): boolean {
    return this.wanted !== null;
  }

  /** Somebody looks elsewhere. */
  private leave(): void {
    this.wanted = null;
    this.atFirst = false;
    if (this.following) this.left();
    this.following = false;
  }

  /** Brings the newest op into sight, unless somebody looks elsewhere. */
  follow(key: string): void {
    const rect = this.scene?.rectOf(key);
    if (rect && this.following && !this.framed) this.moveTo(lead(this.glide?.to ?? this.camera, rect, this.size));
  }

  /** From now on again. */
  goWith(key: string): void {
    this.following = true;
    this.follow(key);
  }

  private keepInPlace(before: Scene, after: Scene, anchor: string | null): void {
    const key = anchor ?? [...before.placement.boxes.keys()].find((k) => after.rectOf(k));
    const [a, b] = [key ? before.rectOf(key) : null, key ? after.rectOf(key) : null];
    if (!a || !b) this.lookFirst();
    else {
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      this.camera = { ...this.camera, x: this.camera.x + dx, y: this.camera.y + dy };
      this.origin = { x: this.origin.x + dx, y: this.origin.y + dy };
    }
  }

  pan(dx: number, dy: number): void {
    this.leave();
    this.moved = true;
    this.glide = null;
    const { x, y, zoom } = this.camera;
    this.camera = { x: x - dx / zoom, y: y - dy / zoom, zoom };
    this.redraw();
  }

  zoomBy(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    this.leave();
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
    if (this.scene) this.glideTo(this.scene.firstLook(this.size));
  }

  /** `covered`: so many pixels at the top and at the bottom are under something else. `held`: nobody looks elsewhere. */
  reveal(key: string, covered = { top: 0, bottom: 0 }, held = false): void {
    const rect = this.scene?.rectOf(key);
    if (!rect) return;
    const to = reveal(this.camera, rect, this.size, covered);
    if (held) this.moveTo(to);
    else this.glideTo(to);
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

  private glideTo(to: Camera): void {
    if (same(this.camera, to)) return;
    this.leave();
    this.moveTo(to);
  }

  private moveTo(to: Camera): void {
    const { camera } = this;
    if (same(this.glide?.to ?? camera, to)) return;
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
      else this.rest();
    });
  }

  private rest(): void {
    if (this.scene) this.aimed(this.atFirst ? null : aimOf(this.camera, this.size));
    this.onIdle(true);
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

/** How many ranks are in the picture; when another one comes, who has not looked elsewhere is shown it. */
const lanesOf = ({ root }: Visible): number => root.modules.filter(({ key }) => isRank(key)).length;
