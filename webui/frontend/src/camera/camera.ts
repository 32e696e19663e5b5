/** The part of the world on the screen. World units are CSS pixels at zoom 1. */
import type { Rect } from "../layout/geometry";
import type { Aim } from "../model/url";
import { ZOOM } from "../theme/scale";

export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

/** A place on the way from one to the other. */
export const between = (from: Camera, to: Camera, part: number): Camera => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
  zoom: from.zoom + (to.zoom - from.zoom) * part,
});

/** How many panes lie between two places, where they are nearest to the picture. */
export function panesBetween(from: Camera, to: Camera, size: Size): number {
  const zoom = Math.max(from.zoom, to.zoom);
  return zoom * Math.max(Math.abs(to.x - from.x) / size.width, Math.abs(to.y - from.y) / size.height);
}

export const clampZoom = (zoom: number): number => Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));

export const toWorld = (c: Camera, x: number, y: number): [number, number] => [x / c.zoom + c.x, y / c.zoom + c.y];
export const toScreen = (c: Camera, x: number, y: number): [number, number] => [(x - c.x) * c.zoom, (y - c.y) * c.zoom];

/** A rectangle of the world, as it lies on the screen. */
export function onScreen(c: Camera, rect: Rect): Rect {
  const [x, y] = toScreen(c, rect.x, rect.y);
  return { x, y, w: rect.w * c.zoom, h: rect.h * c.zoom };
}

export const viewOf = (c: Camera, size: Size): Rect => ({
  x: c.x,
  y: c.y,
  w: size.width / c.zoom,
  h: size.height / c.zoom,
});

/** The point in the middle: the same place in a window of any size. */
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

/** The centre of the pane stays inside the content, give or take a quarter of the pane. */
export function kept(c: Camera, bounds: Rect, size: Size): Camera {
  const [w, h] = [size.width / c.zoom, size.height / c.zoom];
  const within = (eye: number, span: number, from: number, length: number): number => {
    const centre = Math.min(from + length + span / 4, Math.max(from - span / 4, eye + span / 2));
    return centre - span / 2;
  };
  return { x: within(c.x, w, bounds.x, bounds.w), y: within(c.y, h, bounds.y, bounds.h), zoom: c.zoom };
}
