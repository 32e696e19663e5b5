/** The picture as a list of things to draw, found by place; and the answer to "what is at this point". */
import type { PlacedEdge, Placement } from "../layout/compose";
import { contains, type Rect, union, wider } from "../layout/geometry";
import { cellOf, cellsOf, instancesOf } from "../layout/strip";
import { cardOf } from "../model/card";
import type { State } from "../model/state";
import type { Structure } from "../model/structure";
import type { Item, Module, Visible } from "../model/visible";
import { DETAIL, FRAME, LENS } from "../theme/scale";
import type { Brush } from "./brush";
import { drawItem, REACH } from "./cards";
import { drawCable } from "./collectives";
import { drawEdge, drawLabels, edgeCover } from "./edges";
import { drawFarEdges, drawFarItems } from "./far";
import { drawFrame, drawFrameName, drawKept, drawWedge } from "./frames";
import { Quadtree } from "./quadtree";
import { findSpots } from "./spots";

/** The items by layer, from back to front. A kept place is one that the step before had and this one may fill. */
export type Thing =
  | { layer: 0; module: Module; rect: Rect }
  | { layer: 1; edge: PlacedEdge; rect: Rect; order: number }
  | { layer: 2; item: Item; rect: Rect }
  | { layer: 3; rect: Rect; name: string };

type Layer<N extends Thing["layer"]> = Extract<Thing, { layer: N }>;

/** The item under the pointer: a box, or the head of an open module. */
export interface Hit {
  key: string;
  kind: "item" | "frame";
  /** The instance of a stack that was hit on its card. */
  instance?: string;
}

/** From an instance on its stack's card to the frame it is drawn open in. */
export interface Wedge {
  /** The key of the frame. */
  key: string;
  cell: Rect;
  frame: Rect;
}

/** Whether a wedge is short enough to be useful; a longer one would be hidden under the picture. */
const isNear = (cell: Rect, frame: Rect): boolean =>
  frame.x - cell.x - cell.w < 2 * LENS && frame.y - cell.y - cell.h < 2 * LENS;

export class Scene {
  private readonly tree: Quadtree<Thing>;
  readonly size: number;
  readonly wedges: readonly Wedge[];

  constructor(
    readonly visible: Visible,
    readonly placement: Placement,
    /** The names of the items that were last at the places that this step has not reached yet. */
    private readonly names: ReadonlyMap<string, string> = new Map(),
  ) {
    const { x, y, w, h } = placement.bounds;
    this.tree = new Quadtree<Thing>({ x: x - 500, y: y - 500, w: w + 1000, h: h + 1000 });
    for (const [key, rect] of placement.boxes) {
      const item = visible.items.get(key);
      const module = visible.modules.get(key);
      if (item) this.tree.add(wider(rect, REACH), { layer: 2, item, rect });
      else if (module) this.tree.add(rect, { layer: 0, module, rect });
      else this.tree.add(rect, { layer: 3, rect, name: names.get(key) ?? "" });
    }
    findSpots(
      placement.edges,
      [...placement.boxes].flatMap(([key, rect]) => (visible.items.has(key) ? [rect] : [])),
    );
    placement.edges.forEach((edge, order) => {
      const rect = union(edgeCover(edge));
      this.tree.add(rect, { layer: 1, edge, rect, order });
    });
    this.wedges = [...visible.modules.values()].flatMap((m) => this.wedgeOf(m) ?? []);
    this.size = placement.boxes.size + placement.edges.length;
  }

  /** The names for a scene that has these items next: those of the items that it lacks. `graph` is of this scene. */
  namesKept(next: Visible, graph: Structure, state: State): Map<string, string> {
    const kept = new Map<string, string>();
    for (const [key, name] of this.names) if (!next.items.has(key)) kept.set(key, name);
    for (const item of this.visible.items.values()) {
      const known = item.kind !== "op" || graph.nodes.has(item.id);
      if (!next.items.has(item.key) && known) kept.set(item.key, cardOf(item, graph, this.visible, state).title);
    }
    return kept;
  }

  private wedgeOf(module: Module): Wedge | null {
    const [cell, frame] = [this.cellRect(module), this.placement.boxes.get(module.key)];
    return module.lens && cell && frame && isNear(cell, frame) ? { key: module.key, cell, frame } : null;
  }

  /** The place of an instance on the card of its stack. */
  private cellRect({ key, parent }: Module): Rect | null {
    const card = parent?.stack ? this.placement.boxes.get(parent.key) : undefined;
    if (!card || !parent?.folded) return null;
    const count = parent.stack!.names.length;
    const index = parent.modules.findIndex((m) => m.key === key);
    return index < 0 ? null : cellsOf(card, count)[cellOf(index, count)]!;
  }

  /** Draws all that touches the brush's area: frames from the outermost in, then edges, items, and names. */
  draw(brush: Brush): void {
    const frames: Layer<0>[] = [];
    const lines: Layer<1>[] = [];
    const items: Layer<2>[] = [];
    const kept: Layer<3>[] = [];
    this.each(brush.area, (thing) => {
      if (thing.layer === 0) frames.push(thing);
      else if (thing.layer === 1) lines.push(thing);
      else if (thing.layer === 2) items.push(thing);
      else kept.push(thing);
    });
    frames.sort((a, b) => a.module.depth - b.module.depth);
    // The order of crossing lines must not depend on how much of the picture is drawn.
    const edges = lines.sort((a, b) => a.order - b.order).map((line) => line.edge);
    for (const { cell, frame } of this.wedges) drawWedge(brush, cell, frame);
    for (const { rect, module } of frames) drawFrame(brush, rect, module.lens);
    for (const { rect, name } of kept) drawKept(brush, rect, name);
    if (brush.zoom < DETAIL.box) {
      if (brush.zoom > DETAIL.lines) drawFarEdges(brush, edges);
      drawFarItems(brush, items);
      for (const { module, rect } of frames) drawFrameName(brush, module, rect);
      return;
    }
    for (const edge of edges) (edge.rank === undefined ? drawEdge : drawCable)(brush, edge);
    for (const edge of edges) drawLabels(brush, edge);
    for (const { item, rect } of items) drawItem(brush, item, rect);
    for (const { module, rect } of frames) drawFrameName(brush, module, rect);
  }

  /** Calls `found` with everything that touches `area`, in no order. */
  each(area: Rect, found: (thing: Thing) => void): void {
    this.tree.each(area, found);
  }

  /** Whether at most `count` items are to be drawn there. */
  hasAtMost(count: number, area: Rect): boolean {
    return this.tree.atMost(count, area);
  }

  rectOf(key: string): Rect | null {
    const module = this.visible.modules.get(key);
    return this.placement.boxes.get(key) ?? (module ? this.cellRect(module) : null);
  }

  private instanceAt({ key, cells }: Item, rect: Rect, x: number, y: number): Pick<Hit, "instance"> {
    if (cells === undefined) return {};
    const cell = cellsOf(rect, cells).findIndex((r) => contains(r, x, y));
    const module = cell < 0 ? undefined : this.visible.modules.get(key)?.modules[instancesOf(cell, cells)[0]];
    return module ? { instance: module.key } : {};
  }

  hit(x: number, y: number): Hit | null {
    let best: Hit | null = null;
    let depth = -1;
    this.tree.each({ x, y, w: 0, h: 0 }, (thing) => {
      if (thing.layer === 2 && contains(thing.rect, x, y)) {
        best = { key: thing.item.key, kind: "item", ...this.instanceAt(thing.item, thing.rect, x, y) };
        depth = Infinity;
      } else if (thing.layer === 0 && contains({ ...thing.rect, h: FRAME.head }, x, y) && thing.module.depth > depth) {
        best = { key: thing.module.key, kind: "frame" };
        depth = thing.module.depth;
      }
    });
    return best;
  }
}
