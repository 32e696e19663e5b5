/** Mouse, pen and touch gestures on the picture: move, zoom, hover, select, open. */
import type { GraphView } from "./view";

export interface Asked {
  /** Called when a box or the background was clicked. */
  choose(key: string | null): void;
  /** Called when an instance was clicked on the card of its stack. */
  instance(stack: string, key: string): void;
  /** Called when a box was double-clicked. */
  open(key: string): void;
  /** Called when a mouse has rested on a box for a while, at this place of the pane; null when it moves on. */
  rest(box: Rested | null): void;
}

/** Where a mouse rests. */
export interface Rested {
  key: string;
  x: number;
  y: number;
}

/** A pointer that moves less than this between press and release counts as a click. */
const CLICK_PX = 4;

/** How long a mouse rests on a box before it is told what the box is. */
const REST_MS = 450;

/** A wheel event with a smaller step comes from a touchpad. */
const TOUCHPAD = 40;

export class Pointing {
  private drag: { x: number; y: number; moved: number } | null = null;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly view: GraphView,
    private readonly asked: Asked,
  ) {}

  /** Starts listening; returns a function that stops it. */
  listen(): () => void {
    const { host, view } = this;
    const until = new AbortController();
    const { signal } = until;
    host.addEventListener("pointerdown", (event) => this.press(event), { signal });
    host.addEventListener("pointermove", (event) => (this.drag ? this.push(event) : this.point(event)), { signal });
    host.addEventListener("pointerup", (event) => this.release(event), { signal });
    host.addEventListener("pointerleave", () => (view.hover(null), this.moveOn()), { signal });
    host.addEventListener("dblclick", (event) => this.openAt(event), { signal });
    host.addEventListener("wheel", (event) => this.turn(event), { signal });
    return () => {
      until.abort();
      this.moveOn();
    };
  }

  /** The mouse no longer rests; after a while on this box it does again. */
  private moveOn(event?: PointerEvent, key: string | null = null): void {
    clearTimeout(this.resting);
    this.asked.rest(null);
    if (!event || key === null || event.pointerType !== "mouse") return;
    const [x, y] = this.place(event);
    this.resting = setTimeout(() => this.asked.rest({ key, x, y }), REST_MS);
  }

  private press(event: PointerEvent): void {
    this.moveOn();
    if (event.button !== 0) return;
    this.drag = { x: event.clientX, y: event.clientY, moved: 0 };
    this.host.setPointerCapture(event.pointerId);
  }

  private point(event: PointerEvent): void {
    const hit = this.view.hit(...this.place(event));
    const key = hit?.key ?? null;
    this.view.hover(key);
    this.moveOn(event, hit?.instance ?? key);
    this.host.style.cursor = key === null ? "grab" : "pointer";
  }

  private push(event: PointerEvent): void {
    const { x, y, moved } = this.drag!;
    const [dx, dy] = [event.clientX - x, event.clientY - y];
    this.drag = { x: event.clientX, y: event.clientY, moved: moved + Math.abs(dx) + Math.abs(dy) };
    if (this.drag.moved < CLICK_PX) return;
    this.host.style.cursor = "grabbing";
    this.view.pan(dx, dy);
  }

  private release(event: PointerEvent): void {
    if (!this.drag) return;
    const clicked = this.drag.moved < CLICK_PX;
    this.drag = null;
    this.host.style.cursor = "grab";
    if (!clicked) return;
    const hit = this.view.hit(...this.place(event));
    if (hit?.instance) this.asked.instance(hit.key, hit.instance);
    else this.asked.choose(hit?.key ?? null);
  }

  private openAt(event: MouseEvent): void {
    const hit = this.view.hit(...this.place(event));
    if (hit && !hit.instance) this.asked.open(hit.key);
  }

  /** A wheel zooms; a touchpad pans, and zooms by pinching, which browsers report as ctrl. */
  private turn(event: WheelEvent): void {
    event.preventDefault();
    this.moveOn();
    const { deltaX, deltaY } = event;
    if (event.ctrlKey || event.metaKey) this.view.zoomBy(Math.exp(-deltaY * 0.008), ...this.place(event));
    else if (event.shiftKey) this.view.pan(-deltaY, 0);
    else if (deltaX !== 0 || Math.abs(deltaY) < TOUCHPAD) this.view.pan(-deltaX, -deltaY);
    else this.view.zoomBy(Math.exp(-deltaY * 0.0016), ...this.place(event));
  }

  private place(event: MouseEvent): [number, number] {
    const box = this.host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}
