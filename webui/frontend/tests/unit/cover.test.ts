/** Nothing is drawn outside of the area that is painted again when it changes, at any zoom. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { mlpRun, scalarRun } from "../../fixtures/runs";
import { compose } from "../../src/layout/compose";
import { type Rect, union, wider } from "../../src/layout/geometry";
import { solveLinear } from "../../src/layout/linear";
import { History } from "../../src/model/history";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";
import type { Brush, Context } from "../../src/render/brush";
import { drawItem, REACH } from "../../src/render/cards";
import { drawEdge, drawLabels, edgeCover } from "../../src/render/edges";
import { Scene } from "../../src/render/scene";
import { PALETTES } from "../../src/theme/colour";

/** A context that keeps the box of all that is drawn. A letter is 0.62 of its size wide. */
class Ink {
  font = "";
  textAlign = "left";
  lineWidth = 1;
  drawn: Rect | null = null;
  private path: Rect[] = [];

  beginPath = (): void => void (this.path = []);
  moveTo = (x: number, y: number): void => void this.path.push({ x, y, w: 0, h: 0 });
  lineTo = this.moveTo;
  bezierCurveTo = (...points: number[]): void => {
    for (let i = 0; i < points.length; i += 2) this.moveTo(points[i]!, points[i + 1]!);
  };
  rect = (x: number, y: number, w: number, h: number): void => void this.path.push({ x, y, w, h });
  roundRect = this.rect;
  arc = (x: number, y: number, r: number): void => this.rect(x - r, y - r, 2 * r, 2 * r);
  closePath = (): void => undefined;
  setLineDash = this.closePath;
  fill = (): void => this.path.forEach((box) => this.add(box));
  stroke = (): void => this.path.forEach((box) => this.add(wider(box, this.lineWidth / 2)));
  fillRect = (x: number, y: number, w: number, h: number): void => this.add({ x, y, w, h });
  strokeRect = (x: number, y: number, w: number, h: number): void => this.add(wider({ x, y, w, h }, 0.5));
  drawImage = (_: unknown, ...[x, y, w, h]: [number, number, number, number]): void => this.add({ x, y, w, h });
  measureText = (text: string) => ({ width: text.length * this.size * 0.62 });
  fillText = (text: string, x: number, y: number): void => {
    const { width } = this.measureText(text);
    const left = { left: 0, center: width / 2, right: width }[this.textAlign]!;
    this.add({ x: x - left, y: y - this.size * 0.75, w: width, h: this.size });
  };

  private get size(): number {
    return Number(/([\d.]+)px/.exec(this.font)![1]);
  }
  private add(box: Rect): void {
    this.drawn = this.drawn ? union([this.drawn, box]) : box;
  }
}

beforeAll(() => {
  const context = { createImageData: () => ({ data: new Uint8ClampedArray(1e6) }), putImageData: () => undefined };
  vi.stubGlobal(
    "OffscreenCanvas",
    class {
      getContext = () => context;
    },
  );
});

const holds = (outer: Rect, inner: Rect): boolean =>
  inner.x >= outer.x - 1e-6 &&
  inner.y >= outer.y - 1e-6 &&
  inner.x + inner.w <= outer.x + outer.w + 1e-6 &&
  inner.y + inner.h <= outer.y + outer.h + 1e-6;

/** With the longest numbers beside lines, and their histograms. */
const tiny = (record: AnyRecord): AnyRecord =>
  JSON.parse(
    JSON.stringify(record)
      .replace(/"norm":[-+.e\d]+/g, '"norm":0.000123')
      .replace(/"rows":\d+/g, '"rows":9'),
  ) as AnyRecord;

const runs = { "an MLP": mlpRun("m", 1), "tiny gradients": mlpRun("m", 1).map(tiny), "single numbers": scalarRun() };

describe.each(Object.entries(runs))("%s", (_, records) => {
  const [graph, history] = [new Structure(), new History()];
  graph.append(records);
  history.append(records);
  const visible = visibleGraph(graph, new Map());
  const placement = compose(visible, solveLinear);
  const scene = new Scene(visible, placement);
  const moments = Array.from({ length: 40 }, (_, i) => Math.round((history.length * i) / 39));

  it.each([0.36, 0.45, 0.6, 0.7, 0.72, 0.8, 1, 1.4, 3])("at a zoom of %f", (zoom) => {
    for (const moment of moments) {
      const state = history.at(moment);
      const rest = { palette: PALETTES.light, area: placement.bounds, found: null, overlay: null, event: null };
      const drawnBy = (draw: (brush: Brush) => void): Rect | null => {
        const ink = new Ink();
        draw({ context: ink as unknown as Context, zoom, graph, visible, state, ...rest });
        return ink.drawn;
      };
      scene.each(placement.bounds, (thing) => {
        if (thing.layer === 2) {
          const drawn = drawnBy((brush) => drawItem(brush, thing.item, thing.rect));
          if (drawn) expect(drawn).toSatisfy((box: Rect) => holds(wider(thing.rect, REACH), box), thing.item.key);
        } else if (thing.layer === 1) {
          const { edge } = thing;
          const drawn = drawnBy((brush) => (drawEdge(brush, edge), drawLabels(brush, edge)));
          const cover = wider(union(edgeCover(edge)), REACH);
          if (drawn) expect(drawn).toSatisfy((box: Rect) => holds(cover, box), `${edge.from} > ${edge.to}`);
        }
      });
    }
  });
});
