import type { Rect } from "./layout/geometry";
import type { Camera } from "./camera/camera";
import type { Mode } from "./camera/director";
import type { Pane } from "./camera/shot";

declare global {
  interface Window {
    /** For tests and scripts: the places of items on the canvas. */
    minigradExplorer?: {
      rectOf(key: string): Rect | null;
      camera(): Camera;
      /** The area that the camera shows, and how much of the pane is filled. */
      shot(): { mode: Mode; subject: string | null; rect: Rect | null; pane: Pane; boxes: number };
      /** The key of the box that shows what acts now. */
      acting(): string | null;
      /** Paths of the modules in the picture, open or folded. */
      modules(): string[];
      /** Keys of the boxes that are framed in red. */
      alarming(): string[];
      /** Paints the whole picture again. */
      repaint(): void;
      /** Script time of each frame drawn so far, the newest 400. */
      frameMs(): number[];
    };
  }
}
