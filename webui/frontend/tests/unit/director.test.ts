/** The camera's promises, over generated pictures and panes. */
import { describe, expect, it } from "vitest";
import { type Camera, onScreen } from "../../src/camera/camera";
import { type Cue, Director, type Mode, modeAfter } from "../../src/camera/director";
import { type Scenery, shotOf, shows } from "../../src/camera/shot";
import { overlaps, type Rect, union } from "../../src/layout/geometry";
import { legibleAt } from "../../src/theme/scale";
import { centreInside, PANES } from "./panes";

const MODES: Mode[] = ["directing", "held", "away", "fixed", "resting"];
const CUES: Cue[] = ["gesture", "follow", "hold", "end", "rest"];

/** The same numbers in every run of the tests. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** Boxes in columns of frames, some deep, some wide. */
function boxes(next: () => number): { items: Rect[]; frames: Rect[] } {
  const frames: Rect[] = [];
  const items: Rect[] = [];
  let y = 0;
  for (let f = 0; f < 1 + next() * 8; f++) {
    const x = Math.round(next() * 900 - 450);
    const mine: Rect[] = [];
    for (let i = 0; i < 1 + next() * 14; i++) {
      mine.push({ x: x + Math.floor(next() * 3) * 290, y, w: 248, h: 76 });
      y += 110;
    }
    frames.push(union(mine));
    items.push(...mine);
  }
  return { items, frames };
}

describe("the modes of the camera", () => {
  it("become away by a person's gesture alone", () => {
    for (const mode of MODES)
      for (const cue of CUES)
        if (cue !== "gesture" && mode !== "away") expect(modeAfter(mode, cue), `${mode}, ${cue}`).not.toBe("away");
    for (const mode of MODES) expect(modeAfter(mode, "gesture")).toBe("away");
  });

  it("come back to the program by following, pausing and stepping", () => {
    for (const mode of MODES) {
      expect(modeAfter(mode, "follow")).toBe("directing");
      expect(modeAfter(mode, "hold")).toBe("held");
    }
  });

  it("let a run's end rest a camera that directs, and no other", () => {
    for (const mode of MODES) expect(modeAfter(mode, "end")).toBe(mode === "directing" ? "resting" : mode);
  });
});

describe("a shot", () => {
  it("shows the subject whole and legible, and never leaves the content, in generated pictures", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const next = random(seed);
      const { items, frames } = boxes(next);
      const bounds = union(items);
      const pane = PANES[seed % PANES.length]!;
      const director = new Director();
      director.cue(seed % 3 === 0 ? "hold" : "follow");
      let now = 0;
      for (let i = 0; i < 12; i++) {
        const subject = items[Math.floor(next() * items.length)]!;
        const stages = frames.filter((f) => overlaps(f, subject));
        const scenery: Scenery = { subject, also: null, stages, bounds, boxes: items, legible: legibleAt() };
        const { camera } = director.direct(scenery, pane, (now += 600), false);
        expect(shows(camera, subject, pane), `seed ${seed}, subject ${i}`).toBe(true);
        expect(camera.zoom).toBeGreaterThanOrEqual(legibleAt());
        const { w, h } = onScreen(camera, subject);
        expect(w).toBeGreaterThanOrEqual(180);
        expect(h).toBeGreaterThanOrEqual(52);
        expect(centreInside(camera, bounds, pane), `seed ${seed}`).toBe(true);
      }
    }
  });

  it("leaves room below the newest op of a first step, so that the next ones come into sight", () => {
    const pane = PANES[0]!;
    const column = Array.from({ length: 40 }, (_, i) => ({ x: 0, y: 110 * i, w: 248, h: 76 }));
    const seenAfter = (growing: boolean, more: number): number => {
      const director = new Director();
      director.cue("follow");
      let seen = 0;
      for (let i = 0; i + more < 40; i += more) {
        const so = column.slice(0, i + 1);
        const scenery = { subject: so[i]!, also: null, stages: [], bounds: union(so), boxes: so, legible: legibleAt() };
        const { camera } = director.direct({ ...scenery, growing }, pane, 600 * i, false);
        expect(shows(camera, so[i]!, pane)).toBe(true);
        seen += column.slice(i + 1, i + more + 1).filter((next) => shows(camera, next, pane)).length;
      }
      return seen / 40;
    };
    expect(seenAfter(true, 5)).toBeGreaterThan(3 * seenAfter(false, 5));
  });

  it("is of the whole picture where all of it can be read", () => {
    const bounds = { x: 10, y: 20, w: 500, h: 400 };
    const scenery = { subject: null, also: null, stages: [], boxes: [], bounds, legible: legibleAt() };
    expect(shows(shotOf(scenery, PANES[0]!), bounds, PANES[0]!)).toBe(true);
  });

  it("at rest is of where most boxes are, in a picture that is wider than the pane", () => {
    const column = (x: number, count: number): Rect[] =>
      Array.from({ length: count }, (_, i) => ({ x, y: i * 110, w: 248, h: 76 }));
    const items = [...column(0, 2), ...column(1800, 6), ...column(2100, 5)];
    const scenery = { subject: null, also: null, stages: [], boxes: items, bounds: union(items), legible: 0.75 };
    const camera = shotOf(scenery, PANES[0]!);
    expect(items.filter((item) => shows(camera, item, PANES[0]!))).toHaveLength(11);
  });

  it("at rest is of what is farther down, if there is far more than at the top, and else of the top", () => {
    const box = (x: number, y: number): Rect => ({ x, y, w: 248, h: 76 });
    const row = [0, 1, 2, 3, 4, 5].map((i) => box(600 * i, 0));
    const block = (count: number): Rect[] =>
      Array.from({ length: count }, (_, i) => box(900 + 300 * (i % 2), 2000 + 110 * Math.floor(i / 2)));
    for (const [count, seen] of [
      [12, 12],
      [2, 0],
    ] as const) {
      // prettier-ignore
      const below = block(count);
      const boxes = [...row, ...below];
      const camera = shotOf(
        { subject: null, also: null, stages: [], boxes, bounds: union(boxes), legible: 0.75 },
        PANES[0]!,
      );
      expect(below.filter((each) => shows(camera, each, PANES[0]!))).toHaveLength(seen);
    }
  });

  it("at rest begins where that begins which is worth to be seen, not at what stands above it", () => {
    const box = (x: number, y: number): Rect => ({ x, y, w: 248, h: 76 });
    const [above, worth] = [
      [box(0, 0), box(300, 110)],
      [box(1800, 900), box(1800, 1010)],
    ];
    const bounds = union([...above, ...worth, box(3000, 2000)]);
    const camera = shotOf({ subject: null, also: null, stages: [], boxes: worth, bounds, legible: 0.75 }, PANES[0]!);
    expect(worth.filter((item) => shows(camera, item, PANES[0]!))).toHaveLength(2);
  });

  it("at rest shows what the first op takes as a whole, where it stands close above", () => {
    const box = (y: number): Rect => ({ x: 0, y, w: 248, h: 76 });
    const input = box(0);
    const worth = Array.from({ length: 12 }, (_, i) => box(110 * (i + 1)));
    const bounds = union([input, ...worth, { x: 3000, y: 500, w: 248, h: 76 }]);
    const camera = shotOf({ subject: null, also: null, stages: [], boxes: worth, bounds, legible: 0.75 }, PANES[0]!);
    expect(shows(camera, input, PANES[0]!)).toBe(true);
  });

  it("moves a fast program's camera at most twice a second", () => {
    const items = Array.from({ length: 60 }, (_, i) => ({ x: 0, y: i * 110, w: 248, h: 76 }));
    const director = new Director();
    director.cue("follow");
    let moves = 0;
    let before = "";
    for (let ms = 0; ms < 4000; ms += 20) {
      const scenery = {
        subject: items[(ms / 20) % 60]!,
        also: null,
        stages: [],
        boxes: [],
        bounds: union(items),
        legible: 0.75,
      };
      const { camera } = director.direct(scenery, PANES[0]!, ms, false);
      if (JSON.stringify(camera) !== before) moves += 1;
      before = JSON.stringify(camera);
    }
    expect(moves).toBeGreaterThan(1);
    expect(moves).toBeLessThanOrEqual(9);
  });

  it("does not wait longer because new places have moved it in between", () => {
    const [top, bottom] = [0, 3000].map((y) => ({ x: 0, y, w: 248, h: 76 })) as [Rect, Rect];
    const scenery = (subject: Rect): Scenery => ({
      ...{ subject, also: null, stages: [], boxes: [] },
      ...{ bounds: union([top, bottom]), legible: 1 },
    });
    const director = new Director();
    director.cue("follow");
    let seen = 0;
    for (let ms = 0; ms < 3000; ms += 20) {
      const placed = ms % 300 === 20; // a step of 300 ms is laid out soon after it began, when its last op ran
      if (ms % 300 === 0) director.renew();
      const { camera } = director.direct(scenery(placed ? bottom : top), PANES[0]!, ms, placed);
      seen += shows(camera, top, PANES[0]!) ? 1 : 0;
    }
    expect(seen / 150).toBeGreaterThan(0.3);
  });

  it("keeps its distance while large and small steps take turns, and comes closer when a small one stays", () => {
    const column = (count: number): Scenery => {
      const boxes = Array.from({ length: count }, (_, i) => ({ x: 0, y: 110 * i, w: 248, h: 76 }));
      return { ...{ subject: boxes[0]!, also: null, stages: [], boxes }, ...{ bounds: union(boxes), legible: 0.75 } };
    };
    const [large, small] = [column(8), column(3)];
    const director = new Director();
    director.cue("follow");
    const zooms = new Set<number>();
    const look = (scenery: Scenery, ms: number): { camera: Camera; wait: number } => {
      const seen = director.direct(scenery, PANES[0]!, ms, true);
      expect(shows(seen.camera, scenery.bounds, PANES[0]!)).toBe(true);
      return seen;
    };
    for (let ms = 0; ms < 2000; ms += 120) {
      director.renew();
      zooms.add(look(ms % 240 === 0 ? large : small, ms).camera.zoom);
    }
    expect(zooms.size).toBe(1);
    director.renew();
    const { wait } = look(small, 3000);
    expect(wait).toBeGreaterThan(0);
    expect(look(small, 3000 + wait).camera.zoom).toBeGreaterThan([...zooms][0]!);
  });

  it("stays where a person put it, but inside the content", () => {
    const director = new Director();
    const bounds = { x: 0, y: 0, w: 900, h: 9000 };
    const scenery = {
      subject: { x: 0, y: 0, w: 248, h: 76 },
      also: null,
      stages: [],
      boxes: [],
      bounds,
      legible: 0.75,
    };
    director.leave({ x: 0, y: 5000, zoom: 1 });
    expect(director.direct(scenery, PANES[0]!, 0, false).camera).toEqual({ x: 0, y: 5000, zoom: 1 });
    director.leave({ x: 0, y: 50_000, zoom: 1 });
    expect(centreInside(director.direct(scenery, PANES[0]!, 0, false).camera, bounds, PANES[0]!)).toBe(true);
  });
});
