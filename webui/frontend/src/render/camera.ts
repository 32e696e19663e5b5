/** Which part of the world is on the screen. World units are CSS pixels at zoom 1. */
import type { Rect } from "../layout/geometry";
import type { Aim } from "../model/url";
import { DETAIL, ZOOM } from "../theme/scale";

export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

export const clampZoom = (zoom: number): number => Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));

export const toWorld = (c: Camera, x: number, y: number): [number, number] => [x / c.zoom + c.x, y / c.zoom + c.y];
export const toScreen = (c: Camera, x: number, y: number): [number, number] => [(x - c.x) * c.zoom, (y - c.y) * c.zoom];

export const viewOf = (c: Camera, size: Size): Rect => ({
  x: c.x,
  y: c.y,
  w: size.width / c.zoom,
  h: size.height / c.zoom,
});

/** What is in the middle: the same place in a window of any size. */
export const aimOf = (c: Camera, size: Size): Aim => ({
  x: c.x + size.width / c.zoom / 2,
  y: c.y + size.height / c.zoom / 2,
  zoom: c.zoom,
});

export function cameraAt(aim: Aim, size: Size): Camera {
  const zoom = clampZoom(aim.zoom);
  return { x: aim.x - size.width / zoom / 2, y: aim.y - size.height / zoom / 2, zoom };
}

/** Zooms so that the point under the pointer stays where it is. */
export function zoomAt(c: Camera, x: number, y: number, factor: number): Camera {
  const [wx, wy] = toWorld(c, x, y);
  const zoom = clampZoom(c.zoom * factor);
  return { x: wx - x / zoom, y: wy - y / zoom, zoom };
}

const MARGIN = 28;
/** At the top stands what the colours of the lines mean. */
const TOP = 48;

/** The whole of `bounds`, centred; a small picture fills a large room, but not without measure. */
export function fit(bounds: Rect, size: Size): Camera {
  const zoom = clampZoom(
    Math.min(
      1.5,
      (size.width - 2 * MARGIN) / Math.max(1, bounds.w),
      (size.height - TOP - MARGIN) / Math.max(1, bounds.h),
    ),
  );
  return {
    x: bounds.x + bounds.w / 2 - size.width / zoom / 2,
    y: bounds.y + bounds.h / 2 - (size.height + TOP - MARGIN) / zoom / 2,
    zoom,
  };
}

/** A picture that is only so much too tall is shown whole. */
const NEARLY = 0.8;
/** What is too wide for its names to be read is begun at a size at which cards can be. */
const BEGUN = 0.55;

/** The first look: the whole width, with all of it where that is nearly seen anyway; of a very wide one what is around `start`. */
export function firstLook(bounds: Rect, size: Size, start: Rect): Camera {
  const across = (size.width - 2 * MARGIN) / bounds.w;
  const zoom = across > DETAIL.name ? Math.min(1, across) : BEGUN;
  const whole = fit(bounds, size);
  if (whole.zoom >= NEARLY * zoom) return whole;
  const [left, right] = [bounds.x - MARGIN / zoom, bounds.x + bounds.w + MARGIN / zoom];
  const view = size.width / zoom;
  const middled = (rect: Rect): number => rect.x + rect.w / 2 - view / 2;
  const x = right - left > view ? Math.max(left, Math.min(right - view, middled(start))) : middled(bounds);
  return { x, y: bounds.y - TOP / zoom, zoom };
}

/** For what grows: the same camera while `rect` can be seen, else one that leaves room below it for what comes next. */
export function lead(c: Camera, rect: Rect, size: Size): Camera {
  const seen = reveal(c, rect, size);
  return seen.y === c.y ? seen : { ...seen, y: rect.y - viewOf(c, size).h / 3 };
}

/** Moves as little as possible so that `rect` can be seen; the same camera where it can already. */
export function reveal(c: Camera, rect: Rect, size: Size, covered = { top: 0, bottom: 0 }): Camera {
  const clear = { ...c, y: c.y + covered.top / c.zoom };
  const view = viewOf(clear, { ...size, height: size.height - covered.top - covered.bottom });
  const margin = Math.min(60 / c.zoom, view.w / 6, view.h / 6);
  const slack = Math.min((MARGIN - 4) / c.zoom, margin);
  const axis = (at: number, length: number, from: number, span: number): number => {
    if (at - slack >= from && at + length + slack <= from + span) return from;
    if (length + 2 * margin > span) return at + length / 2 - span / 2;
    if (at - margin < from) return at - margin;
    if (at + length + margin > from + span) return at + length + margin - span;
    return from;
  };
  const y = axis(rect.y, rect.h, view.y, view.h) - covered.top / c.zoom;
  return { ...c, x: axis(rect.x, rect.w, view.x, view.w), y };
}
