import type { Rect } from "./layout/geometry";
import type { Camera } from "./render/camera";

declare global {
  interface Window {
    /** For tests and scripts: where things are on the canvas. */
    minigradExplorer?: {
      rectOf(key: string): Rect | null;
      camera(): Camera;
      /** Script time of each frame drawn so far, the newest 400. */
      frameMs(): number[];
    };
  }
}
