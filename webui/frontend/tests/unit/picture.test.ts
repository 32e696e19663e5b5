/** The picture and its camera, over programs that are watched record by record. */
import { describe, expect, it, vi } from "vitest";
import { mlpRun, transformerRun } from "../../fixtures/runs";
import { cueOf, type Layout, Picture, type Screen, type Situation } from "../../src/app/picture.svelte";
import { between, type Camera, onScreen, viewOf } from "../../src/camera/camera";
import type { Cue, Mode } from "../../src/camera/director";
import { type Pane, shows } from "../../src/camera/shot";
import { compose, type Placement } from "../../src/layout/compose";
import { overlaps, type Rect, union } from "../../src/layout/geometry";
import { solveLinear } from "../../src/layout/linear";
import { nodeOf } from "../../src/model/events";
import { NO_WISH } from "../../src/model/modules";
import { Structure } from "../../src/model/structure";
import { type Item, type Visible, visibleGraph } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";
import { centreInside, PANES, paneOf } from "./panes";

vi.mock("../../src/app/idle", () => ({ setBusy: () => undefined }));

/** A screen without a page, and layouts at once. */
class Fake implements Screen, Layout {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  visible: Visible | null = null;
  placement: Placement | null = null;
  picture!: Picture;
  time = 0;

  constructor(
    readonly pane: Pane,
    perLook = 1000,
  ) {
    this.picture = new Picture(this, this, () => (this.time += perLook));
  }
  arrange(visible: Visible, placement: Placement, dx: number, dy: number): void {
    this.visible = visible;
    this.placement = placement;
    this.camera = { ...this.camera, x: this.camera.x + dx, y: this.camera.y + dy };
  }
  relabel(visible: Visible): void {
    this.visible = visible;
  }
  turn(camera: Camera, _cut: boolean): void {
    this.camera = camera;
  }
  request(visible: Visible): void {
    this.picture.placedAt(compose(visible, solveLinear), visible, true);
  }
  get rects(): Rect[] {
    return [...this.placement!.boxes].flatMap(([key, rect]) => (this.visible!.items.has(key) ? [rect] : []));
  }
}

const still: Omit<Situation, "graph" | "visible"> = {
  live: true,
  atEnd: true,
  playing: false,
  paused: false,
  failed: false,
  position: 0,
  acting: null,
  chosen: null,
};

/** Watches a program record by record; `each` looks at every moment in which something acts. */
function watch(records: readonly AnyRecord[], fake: Fake, each: (subject: Rect, mode: Mode) => void): void {
  let graph = new Structure();
  let before: Visible | null = null;
  let step = 0;
  for (const record of records) {
    if ((record.step ?? 0) !== step) {
      before = fake.visible;
      graph = new Structure();
      step = record.step ?? 0;
    }
    graph.append([record]);
    const node = nodeOf(record);
    if (node === null || !graph.nodes.has(node)) continue;
    fake.picture.update({
      ...still,
      graph,
      visible: visibleGraph(graph, new Map(), before),
      acting: graph.opKey(node),
    });
    const { subject, mode } = fake.picture;
    expect(subject, "a subject").not.toBeNull();
    each(fake.placement!.boxes.get(subject!)!, mode);
  }
}

describe("a live program", () => {
  const programs = { "two layers": mlpRun("m", 2), "a transformer": transformerRun("t") };
  for (const [name, records] of Object.entries(programs))
    for (const pane of PANES.slice(0, 2))
      it(`is followed forward and backward: ${name} at ${pane.width} pixels`, () => {
        const fake = new Fake(pane);
        let [moments, shown] = [0, 0];
        watch(records.slice(0, 1600), fake, (rect, mode) => {
          moments += 1;
          expect(mode).toBe("directing");
          if (shows(fake.camera, rect, pane)) shown += 1;
          const view = { x: 0, y: 0, w: pane.width, h: pane.height };
          expect(fake.rects.some((r) => overlaps(onScreen(fake.camera, r), view))).toBe(true);
          expect(centreInside(fake.camera, fake.placement!.bounds, pane)).toBe(true);
        });
        expect(moments).toBeGreaterThan(30);
        expect(shown / moments).toBeGreaterThan(0.99);
      }, 30_000);

  it("is not followed by who looks elsewhere, until they ask", () => {
    const fake = new Fake(PANES[0]!);
    const records = mlpRun("m", 1);
    let seen = 0;
    watch(records, fake, (_, mode) => {
      seen += 1;
      if (seen === 10) fake.picture.leave({ ...fake.camera, y: fake.camera.y + 30 });
      if (seen > 10 && seen < 20) expect(mode).toBe("away");
      if (seen === 20) fake.picture.cue("follow");
      if (seen > 20) expect(mode).toBe("directing");
    });
  });
});

describe("a camera that moves smoothly", () => {
  it("has a box in sight all the way, however far it goes: between islands it cuts", () => {
    const graph = new Structure();
    graph.append(mlpRun("m", 1));
    const visible = visibleGraph(graph, new Map());
    const keys = [...visible.items.keys()];
    const fake = new Fake(PANES[0]!);
    fake.request = () => {
      const placed = compose(visible, solveLinear);
      const island = (i: number): number => 3000 * [0, 4, 1, 2, 3][i % 5]!; // each quarter of the way to the second is one
      keys.forEach((key, i) => placed.boxes.set(key, { ...placed.boxes.get(key)!, x: 0, y: island(i) }));
      fake.picture.placedAt({ ...placed, bounds: union([...placed.boxes.values()]) }, visible, true);
    };
    let position = 0;
    const showOnly = (acting: string): void =>
      fake.picture.update({ ...still, live: false, atEnd: false, position: position++, graph, visible, acting });
    showOnly(keys[0]!);
    const ways = { smooth: 0, cut: 0 };
    fake.turn = (to, cut) => {
      const { camera: from, pane } = fake;
      fake.camera = to;
      if (from.x === to.x && from.y === to.y) return;
      ways[cut ? "cut" : "smooth"] += 1;
      for (let part = 0; part < 1 && !cut; part += 0.01) {
        const view = viewOf(between(from, to, part), pane);
        expect(fake.rects.some((rect) => overlaps(view, rect))).toBe(true);
      }
    };
    for (const from of keys)
      for (const to of keys) {
        showOnly(from);
        showOnly(to);
      }
    expect(ways.smooth).toBeGreaterThan(20);
    expect(ways.cut).toBeGreaterThan(20);
  });
});

describe("a program that runs ahead of the layout thread", () => {
  /** Only the module at work is open. */
  const following = (graph: Structure, acting: string): Visible => {
    const open = visibleGraph(graph, new Map());
    const around = new Set<string>();
    let module = open.modules.get(open.items.get(acting)?.frame ?? "");
    for (; module; module = module.parent ?? undefined) around.add(module.key);
    return visibleGraph(graph, new Map([...open.modules.keys()].map((key) => [key, !around.has(key)])));
  };

  it("is shown in the plain layout within a quarter of a second", () => {
    for (const first of [1, 2, 5, 12]) {
      const fake = new Fake(PANES[0]!, 0);
      let [answered, since, checked]: [boolean, number | null, number] = [false, null, 0];
      fake.request = (visible) => {
        if (answered) return; // the thread is busy, from now on for ever
        answered = visible.items.size >= first;
        fake.picture.placedAt(compose(visible, solveLinear), visible, true);
      };
      const graph = new Structure();
      for (const record of mlpRun("m", 1)) {
        graph.append([record]);
        const node = nodeOf(record);
        if (node === null || !graph.nodes.has(node)) continue;
        fake.time += 40;
        const acting = graph.opKey(node);
        fake.picture.update({ ...still, graph, visible: following(graph, acting), acting });
        const shown = fake.picture.acting;
        const placed = shown !== null && fake.placement!.boxes.has(shown);
        since = placed ? null : (since ?? fake.time);
        expect(fake.time - (since ?? fake.time)).toBeLessThan(300);
        checked += 1;
      }
      expect(checked).toBeGreaterThan(30);
    }
  });
});

describe("an op that has no place yet, in a frame with a gap that is larger than the pane", () => {
  it("is shown by the last box of that frame", () => {
    const records = transformerRun("t", 2).slice(0, 300);
    const apart = (visible: Visible): Placement => {
      const placed = compose(visible, solveLinear);
      const { bounds } = placed;
      for (const [key, box] of placed.boxes)
        placed.boxes.set(key, { ...box, y: 20 * box.y, h: visible.items.has(key) ? box.h : 20 * box.h });
      return { ...placed, bounds: { ...bounds, y: 20 * bounds.y, h: 20 * bounds.h } };
    };
    const graph = new Structure();
    let checked = 0;
    for (const record of records) {
      const [nodes, before] = [graph.nodes.size, new Structure()];
      before.append(records.slice(0, records.indexOf(record)));
      graph.append([record]);
      if (graph.nodes.size === nodes || nodes < 4) continue;
      const open = visibleGraph(before, new Map());
      const fake = new Fake(PANES[0]!, 0);
      fake.request = (visible) => visible === open && fake.picture.placedAt(apart(visible), visible, true);
      const acting = graph.opKey([...graph.nodes.keys()].at(-1)!);
      fake.picture.update({ ...still, graph: before, visible: open, acting: null });
      for (const [key, module] of open.modules) {
        if (module.folded || !module.parent) continue;
        const visible = visibleGraph(graph, new Map([[key, true]]));
        fake.picture.update({ ...still, graph, visible, acting });
        fake.picture.resized(); // the layout takes long, and the camera decides again
        const shown = fake.picture.acting;
        if (shown === null || !fake.placement!.boxes.has(shown) || fake.visible!.items.has(shown)) continue;
        checked += 1;
        expect(fake.rects.some((rect) => overlaps(viewOf(fake.camera, fake.pane), rect))).toBe(true);
      }
    }
    expect(checked).toBeGreaterThan(3);
  });
});

describe("a picture that is laid out anew while somebody looks elsewhere", () => {
  it("keeps the card they looked at, though another came nearer to the middle, and the frame around it grew", () => {
    const fake = new Fake(PANES[0]!);
    let [newest, at]: [string | null, Rect | null] = [null, null];
    let around: Rect | null = null;
    fake.request = (visible) => {
      const placed = compose(visible, solveLinear);
      if (around !== null) {
        for (const [key, box] of placed.boxes) placed.boxes.set(key, { ...box, x: box.x + 100 });
        placed.boxes.set("frame", around);
      }
      if (newest !== null && at !== null) placed.boxes.set(newest, at);
      fake.picture.placedAt(placed, visible, true);
    };
    const graph = new Structure();
    const show = (): void => {
      newest = graph.opKey([...graph.nodes.keys()].at(-1)!);
      fake.picture.update({ ...still, graph, visible: visibleGraph(graph, new Map()), acting: newest });
    };
    const records = [...mlpRun("m", 1)];
    const further = (): void => {
      const nodes = graph.nodes.size;
      while (graph.nodes.size === nodes) graph.append([records.shift()!]);
      show();
    };
    for (let op = 0; op < 4; op++) further();
    const [looked, rect] = [...fake.placement!.boxes].find(([key]) => key !== newest)!;
    const middle = (camera: Camera): Camera => ({
      ...camera,
      x: rect.x + rect.w / 2 - fake.pane.width / camera.zoom / 2 + 5,
      y: rect.y + rect.h / 2 - fake.pane.height / camera.zoom / 2 + 5,
    });
    fake.picture.leave(middle(fake.camera));
    const there = onScreen(fake.camera, rect);
    fake.placement!.boxes.set("frame", (around = { ...rect, x: rect.x + 5, y: rect.y + 5 }));
    for (const far of [5, 3000, 0]) {
      at = { ...rect, x: rect.x + 5, y: rect.y + far };
      further();
      const now = onScreen(fake.camera, fake.placement!.boxes.get(looked)!);
      expect([now.x, now.y], `${far} away`).toEqual([there.x, there.y]);
    }
  });
});

describe("passes that rush by", () => {
  it("are seen on their stack's card, and the open one only where the program stays in it", () => {
    const graph = new Structure();
    graph.append(transformerRun("t", 4));
    const opIn = (block: number): number =>
      [...graph.nodes.keys()].find((id) => graph.scopeOf(id).some((each) => each.startsWith(`blocks.${block}:`)))!;
    const visible = visibleGraph(graph, new Map(), null, { ...NO_WISH, lens: true, focus: opIn(2) });
    const fake = new Fake(PANES[0]!);
    let now = 0;
    fake.picture = new Picture(fake, fake, () => now);
    const actingAt = (ms: number, block: number, more: Partial<Situation> = {}): string | null => {
      now = ms;
      fake.picture.update({ ...still, graph, visible, acting: graph.opKey(opIn(block)), ...more });
      return fake.picture.acting;
    };
    const card = actingAt(0, 1);
    expect(visible.items.get(card!)?.cells).toBe(4);
    expect(actingAt(20, 2)).toBe(card);
    expect(actingAt(700, 2)).not.toBe(card);
    expect(actingAt(800, 3)).toBe(card);
    expect(actingAt(820, 2, { paused: true })).not.toBe(card);
  });
});

/** A fast program: the same ops in each step, one of them for most of its time. */
class Fast {
  readonly fake: Fake;
  now = 0;
  private readonly graphs = [mlpRun("m", 1), mlpRun("m", 1)].map((records) => {
    const graph = new Structure();
    graph.append(records);
    return graph;
  });
  private readonly pictures = this.graphs.map((graph) => visibleGraph(graph, new Map()));
  readonly keys = [...this.graphs[0]!.nodes.keys()].map((id) => this.graphs[0]!.opKey(id));

  constructor(height = 300) {
    this.fake = new Fake(paneOf(390, height));
    this.fake.picture = new Picture(this.fake, this.fake, () => this.now);
  }

  /** Lets an op act for some time; how long it was in sight. */
  act(step: number, acting: string, ms: number): number {
    const [graph, visible] = [this.graphs[step % 2]!, this.pictures[step % 2]!];
    let seen = 0;
    for (let left = ms; left > 0; left -= 10) {
      this.fake.picture.update({ ...still, graph, visible, acting });
      const rect = this.fake.placement!.boxes.get(this.fake.picture.acting!)!;
      seen += shows(this.fake.camera, rect, this.fake.pane) ? 10 : 0;
      this.now += 10;
    }
    return seen;
  }
}

describe("a program that repeats itself", () => {
  it("is seen where it is for most of the time of each step, and the camera does not run after the rest", () => {
    const fast = new Fast();
    const [first, last] = [fast.keys.slice(0, -1), fast.keys.at(-1)!];
    expect(first.length).toBeGreaterThan(6);
    let [seen, all] = [0, 0];
    const cameras = new Set<string>();
    for (let step = 0; step < 20; step++) {
      let inStep = 0;
      for (const key of first) inStep += fast.act(step, key, 10);
      inStep += fast.act(step, last, 300);
      if (step < 3) continue;
      seen += inStep;
      all += 10 * first.length + 300;
      cameras.add(JSON.stringify(fast.fake.camera));
    }
    expect(seen / all).toBeGreaterThan(300 / (10 * first.length + 300));
    expect(cameras.size).toBe(1);
  });

  it.each([
    [420, 0.65],
    [540, 0.7],
  ])("is shown page by page where half of it fits: a pane %i high", (height, least) => {
    const fast = new Fast(height);
    let seen = 0;
    for (let step = 0; step < 20; step++)
      for (const key of fast.keys) seen += step < 3 ? 0 * fast.act(step, key, 100) : fast.act(step, key, 100);
    expect(seen / (17 * 100 * fast.keys.length)).toBeGreaterThan(least);
  });

  it("is followed from op to op where each takes long", () => {
    const fast = new Fast();
    let seen = 0;
    for (let step = 0; step < 2; step++) for (const key of fast.keys) seen += fast.act(step, key, 1500);
    expect(seen / (2 * 1500 * fast.keys.length)).toBeGreaterThan(0.95);
  });

  it("is followed to an op that takes much longer than the last time", () => {
    const fast = new Fast();
    for (let step = 0; step < 6; step++) {
      for (const key of fast.keys.slice(0, -1)) fast.act(step, key, 10);
      fast.act(step, fast.keys.at(-1)!, 300);
    }
    expect(fast.act(6, fast.keys[0]!, 3000)).toBeGreaterThan(2000);
  });
});

describe("a program that has ended", () => {
  it("is shown as to somebody who opens it then: what acted last is no subject any more", () => {
    const [watched, opened] = [new Fake(paneOf(320, 300)), new Fake(paneOf(320, 300))];
    watch(mlpRun("m", 1), watched, () => undefined);
    expect(watched.picture.subject).not.toBeNull();
    const { graph, visible } = watched.picture.shown!;
    for (const fake of [watched, opened]) fake.picture.update({ ...still, live: false, graph, visible });
    expect([watched.picture.mode, watched.picture.subject]).toEqual(["resting", null]);
    expect(watched.camera).toEqual(opened.camera);
  });

  it("is shown at the graph that it computed, and not at the larger ones of its gradients", () => {
    let ops = 0;
    const records = transformerRun("t").map((r): AnyRecord =>
      r.type === "node" && (ops += 1) > 6 ? { ...r, layer: 1 } : r,
    );
    const graph = new Structure();
    graph.append(records.filter((r) => (r.step ?? 0) === 0));
    const fake = new Fake(paneOf(620, 620));
    fake.picture.update({ ...still, live: false, graph, visible: visibleGraph(graph, new Map()) });
    const inLane = ({ key, frame }: Item): boolean => `${frame}/${key}`.includes("∇");
    const inSight = ({ key }: Item): boolean => shows(fake.camera, fake.placement!.boxes.get(key)!, fake.pane);
    const drawn = [...fake.visible!.items.values()].filter(({ kind }) => kind !== "leaf");
    expect(drawn.filter(inLane).length).toBeGreaterThan(2 * drawn.filter((item) => !inLane(item)).length);
    expect(drawn.filter((item) => !inLane(item)).some(inSight)).toBe(true);
  });
});

describe("what happens to a program", () => {
  const base: Situation = { ...still, graph: new Structure(), visible: visibleGraph(new Structure(), new Map()) };
  const cases: [string, Partial<Situation> | null, Partial<Situation>, Cue | null][] = [
    ["a live run opens", null, {}, "follow"],
    ["a run that is over opens", null, { live: false }, "rest"],
    ["a link to a moment opens", null, { live: false, atEnd: false }, "hold"],
    ["the program is paused", {}, { paused: true }, "hold"],
    ["it ends in an error", {}, { live: false, failed: true }, "fail"],
    ["the program goes on", { paused: true }, {}, "follow"],
    ["somebody steps back", {}, { atEnd: false, live: false, position: 3 }, "hold"],
    [
      "somebody steps on",
      { atEnd: false, live: false, position: 3 },
      { atEnd: false, live: false, position: 4 },
      "hold",
    ],
    ["it plays", { atEnd: false, live: false }, { atEnd: false, live: false, playing: true }, "follow"],
    ["the film stops", { atEnd: false, live: false, playing: true }, { atEnd: false, live: false }, "hold"],
    ["the run ends", {}, { live: false }, "end"],
    ["an op runs", { acting: "n1" }, { acting: "n2" }, null],
    ["something is chosen", {}, { chosen: "n1" }, null],
  ];
  for (const [name, before, now, cue] of cases)
    it(`tells the director: ${name}`, () => {
      expect(cueOf(before && { ...base, ...before }, { ...base, ...now })).toBe(cue);
    });
});
