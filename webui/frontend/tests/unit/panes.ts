/** Panes of several sizes, for tests of the camera. */
import { type Camera, onScreen } from "../../src/camera/camera";
import type { Pane } from "../../src/camera/shot";
import type { Rect } from "../../src/layout/geometry";

export const paneOf = (width: number, height: number, top = 40, bottom = 0): Pane => ({
  width,
  height,
  covered: { top, right: 0, bottom, left: 0 },
});
export const PANES = [paneOf(808, 730), paneOf(390, 400), paneOf(1100, 500, 120, 60), paneOf(620, 620)];

export const centreInside = (camera: Camera, bounds: Rect, pane: Pane): boolean => {
  const on = onScreen(camera, bounds);
  const [x, y] = [pane.width / 2, pane.height / 2];
  const [mx, my] = [pane.width / 4 + 1, pane.height / 4 + 1];
  return x >= on.x - mx && x <= on.x + on.w + mx && y >= on.y - my && y <= on.y + on.h + my;
};
