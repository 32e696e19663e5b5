/** The drawn part of a run and the camera's orders, from the server's messages and a person's commands alone. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { mlpRun, transformerRun } from "../../fixtures/runs";
import { GraphController } from "../../src/app/controller.svelte";
import { Picture, type Screen } from "../../src/app/picture.svelte";
import { Session } from "../../src/app/session.svelte";
import type { Camera } from "../../src/camera/camera";
import { compose } from "../../src/layout/compose";
import { solveLinear } from "../../src/layout/linear";
import type { Visible } from "../../src/model/visible";
import type { AnyRecord, LiveMessage, Run, Step } from "../../src/protocol";
import type { LiveHandlers } from "../../src/protocol/client";

let send: (message: LiveMessage) => void = () => undefined;
vi.mock("../../src/app/idle", () => ({ setBusy: () => undefined }));
vi.mock("../../src/app/origin", () => ({
  origin: () => ({
    watchRun: (_id: string, _step: number, _outline: boolean, handlers: LiveHandlers) => {
      send = handlers.message;
      return { stop: () => undefined, more: () => undefined };
    },
    lastRecord: () => Promise.resolve(null),
    findings: () => Promise.resolve({ findings: [] }),
  }),
}));

const records = mlpRun("mlp", 1);
const first = records.filter((record) => (record.step ?? 0) === 0);
const over = first.findIndex(({ type }) => type === "step_taken");
const steps = [{ step: 0, first: 1, last: 9, nodes: 3, backwards: 1, values: true } as Step];
const run = (status: Run["status"]): Run => ({
  id: "r",
  name: "r.py",
  status,
  started: "2026-01-01T00:00:00Z",
  steps: 1,
});

/** As they come from the server: plain objects. */
const sent = (some: readonly AnyRecord[]) => some as unknown as Record<string, unknown>[];

let session: Session;
let clock = 0;
/** Where the camera stands, and where it was told to go. */
let camera: Camera;
const turn = vi.fn<Screen["turn"]>();
/** What the layout thread does with a picture. */
let asked: (visible: Visible) => void;

function watching(status: Run["status"], some: readonly AnyRecord[], framed = false): GraphController {
  session.openRun("r");
  send({ type: "snapshot", run: run(status), steps, step: 0, seq: some.at(-1)!.seq, records: sent(some) });
  const controller = new GraphController(session, framed, () => clock);
  controller.size = { width: 1200, height: 800 };
  const pane = { width: 1200, height: 800, covered: { top: 0, right: 0, bottom: 0, left: 0 } };
  const screen = { pane, camera, arrange: vi.fn(), relabel: vi.fn(), turn };
  controller.picture = new Picture(screen, { request: (visible) => asked(visible) }, () => clock);
  draw(controller);
  return controller;
}

/** Lays out what is to be drawn, as the pane does. */
function draw(controller: GraphController): void {
  controller.picture!.update(controller.situation);
  controller.picture!.placedAt(compose(controller.visible, solveLinear), controller.visible, true);
}

const folded = (controller: GraphController) =>
  [...controller.visible.modules.values()].filter((module) => module.folded && module.parent !== null);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
  session = new Session();
  clock = 0;
  camera = { x: 0, y: 0, zoom: 1 };
  asked = () => undefined;
  return () => {
    session.watch.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

it("follows a program that runs, not one that is over, and never beside a lesson", () => {
  expect(watching("running", first.slice(0, over)).following).toBe(true);
  expect(watching("finished", first).following).toBe(false);
  expect(watching("running", first.slice(0, over), true).following).toBe(false);
});

it("ends its following where a person goes back in time, and takes it up at the end again", () => {
  const controller = watching("running", first.slice(0, over));
  session.step(-1);
  expect(controller.following).toBe(false);
  expect(controller.situation).toMatchObject({ live: false, atEnd: false });
  session.chooseStep(null);
  expect(controller.situation).toMatchObject({ live: true, atEnd: true });
});

it("glides to the whole picture where the way leads over boxes, and is there at once where it would show nothing", () => {
  const controller = watching("running", first.slice(0, over));
  const { bounds } = controller.shown!.placement;
  const cutsFrom = (there: Camera): boolean => {
    Object.assign(camera, there);
    controller.picture!.cue("rest");
    return turn.mock.lastCall![1];
  };
  expect(cutsFrom({ x: bounds.x, y: bounds.y, zoom: 1 })).toBe(false);
  expect(cutsFrom({ x: bounds.x, y: bounds.y + bounds.h + 1, zoom: 1 })).toBe(true);
});

it("keeps room below the first step only until the next one has begun", () => {
  const controller = watching("running", first.slice(0, over));
  expect(controller.situation.first).toBe(true);
  const next = { step: 1, first: 10, last: 10, nodes: 0, backwards: 0, loss: 0.5 } as Step;
  send({ type: "steps", run: run("running"), steps: [next] });
  expect(controller.situation.first).toBe(false);
});

it("names the op that acts, and the one before while an event is about none", () => {
  const upToOp = first.slice(0, first.findIndex(({ type }) => type === "node") + 1);
  const controller = watching("running", upToOp);
  const op = controller.situation.acting;
  expect(op).toMatch(/^n\d+$/);
  send({ type: "batch", first: 1, last: 2, records: sent([{ ...first[over]!, seq: upToOp.at(-1)!.seq + 1 }]) });
  expect(controller.situation.acting).toBe(op);
});

it("folds and opens the module that a chosen op lies in, and chooses the fold", () => {
  const controller = watching("finished", first);
  const inside = [...controller.visible.items.values()].find(
    ({ kind, frame }) => kind === "op" && controller.visible.modules.get(frame)?.parent,
  )!;
  session.select(inside.key);
  controller.toggleFold();
  expect(session.selected).toBe(inside.frame);
  expect(folded(controller).map(({ key }) => key)).toContain(inside.frame);
  draw(controller);
  controller.toggleFold();
  expect(folded(controller).map(({ key }) => key)).not.toContain(inside.frame);
});

it("folds nothing where nothing is chosen, and never the whole", () => {
  const controller = watching("finished", first);
  controller.toggleFold(null);
  controller.toggleFold("no such box");
  expect(session.folds.size).toBe(0);
});

it("folds all, and opens all the next time", () => {
  const controller = watching("finished", first);
  const modules = [...controller.visible.modules.values()].filter(({ parent }) => parent !== null);
  expect(modules.length).toBeGreaterThan(1);
  controller.foldAll();
  expect(controller.framing).toBe(false);
  draw(controller);
  controller.foldAll();
  expect(controller.framing).toBe(true);
  expect(folded(controller)).toEqual([]);
});

it("goes from box to box in the order in which they ran, and stops at both ends", () => {
  const controller = watching("finished", first);
  session.select(null);
  session.seek(0);
  const seen: string[] = [];
  for (let i = 0; i < 100 && session.selected !== seen.at(-1); i++) {
    if (session.selected) seen.push(session.selected);
    controller.neighbour("down");
  }
  const boxes = [...controller.visible.items.values()].filter(({ kind }) => kind !== "leaf");
  expect(new Set(seen)).toEqual(new Set(boxes.map(({ key }) => key)));
  controller.neighbour("up");
  expect(session.selected).toBe(seen.at(-2));
});

it("folds a picture that is too large for its pane, until the pane has another size", () => {
  const controller = watching("running", first.slice(0, over));
  const tight = { width: 120, height: 120, covered: { top: 0, right: 0, bottom: 0, left: 0 } };
  const large = compose(controller.visible, solveLinear);
  const folds = (): boolean => controller.foldsCrowd(large, controller.visible, tight);
  expect(folds()).toBe(true);
  for (let times = 0; times < 10 && folds(); times++);
  expect(folds()).toBe(false);
  controller.size = { width: 1000, height: 800 };
  expect(folds()).toBe(true);
});

it("leaves a picture alone whose folds a person has chosen, or that stands beside a lesson", () => {
  const tight = { width: 120, height: 120, covered: { top: 0, right: 0, bottom: 0, left: 0 } };
  const framed = watching("running", first.slice(0, over), true);
  expect(framed.foldsCrowd(compose(framed.visible, solveLinear), framed.visible, tight)).toBe(false);
  const controller = watching("running", first.slice(0, over));
  session.toggleFold([...controller.visible.modules.keys()].at(-1)!, true);
  expect(controller.foldsCrowd(compose(controller.visible, solveLinear), controller.visible, tight)).toBe(false);
});

it("of a fast program opens other folds only after a while, of one that is looked at at once", () => {
  const opAt = (n: number) => first.flatMap((record, i) => (record.type === "node" ? [i + 1] : []))[n]!;
  const controller = watching("running", first.slice(0, opAt(0)));
  controller.turnFocus();
  const before = controller.situation.visible;
  const last = first[opAt(0) - 1]!.seq;
  send({ type: "batch", first: last + 1, last: last + 50, records: sent(first.slice(opAt(0), opAt(5))) });
  clock = 10;
  const cancel = controller.turnFocus();
  expect(cancel).toBeTypeOf("function");
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  cancel!();
  session.step(-1);
  expect(controller.turnFocus()).toBeUndefined();
  expect(controller.situation.visible).not.toBe(before);
});

it("has a look only of the step that is on the screen", () => {
  const controller = watching("finished", first);
  expect(controller.look).toMatchObject({ growing: false, selected: null, paused: null });
  const next = first.map((record) => ({ ...record, seq: record.seq + 1000, step: 1 }) as AnyRecord);
  const both = [...steps, { ...steps[0]!, step: 1 }];
  send({ type: "snapshot", run: run("finished"), steps: both, step: 1, seq: 9999, records: sent(next) });
  expect(controller.look).toBeNull();
  draw(controller);
  expect(controller.look).not.toBeNull();
});

describe("a step that begins", () => {
  /** Watches records of another step, one after another, as a program that runs sends them; what was laid out. */
  function next(controller: GraphController, records: readonly AnyRecord[]): Visible[] {
    const all: Visible[] = [];
    asked = (visible) => {
      all.push(visible);
      controller.picture!.placedAt(compose(visible, solveLinear), visible, true);
    };
    const both = [...steps, { ...steps[0]!, step: 1 }];
    records.forEach((record, i) => {
      const one = sent([{ ...record, step: 1, seq: 10_000 + i }]);
      if (i === 0) send({ type: "snapshot", run: run("running"), steps: both, step: 1, seq: 10_000, records: one });
      else send({ type: "batch", first: 10_000 + i, last: 10_000 + i, records: one });
      clock += 600; // slow enough for the folds to open and shut with what acts
      controller.turnFocus();
      controller.picture!.update(controller.situation);
    });
    return all;
  }

  it("has the places of the whole step before it, whatever acts", () => {
    const blocks = transformerRun("t", 4).filter(({ type }) => type !== "run_finished");
    const controller = watching("running", blocks);
    const least = compose(controller.visible, solveLinear).bounds;
    const end = blocks.findIndex(({ type }) => type === "step_taken");
    const laidOut = next(controller, blocks.slice(0, end));
    expect(laidOut.length).toBeGreaterThan(0); // another block of the stack is the open one
    for (const visible of laidOut) expect(compose(visible, solveLinear).bounds.h).toBeGreaterThanOrEqual(least.h);
    expect(controller.shown!.graph).toBe(session.watch.latest.graph);
  });

  it("of another kind is shown after a while, and until then the step before", () => {
    const controller = watching("running", first);
    const before = controller.shown!.graph;
    const blocks = transformerRun("t", 1);
    const upTo = blocks.findIndex(({ type }) => type === "node") + 1;
    expect(next(controller, blocks.slice(0, upTo))).toEqual([]);
    expect(controller.shown!.graph).toBe(before);
    clock += 500;
    vi.advanceTimersByTime(500);
    expect(controller.shown!.graph).toBe(session.watch.latest.graph);
  });
});

it("follows a step that comes whole, where what acted in the step before is not in it", () => {
  const blocks = transformerRun("t", 4).filter(({ type }) => type !== "run_finished");
  const controller = watching(
    "running",
    blocks.slice(
      0,
      blocks.findIndex(({ type }) => type === "step_taken"),
    ),
  );
  const both = [...steps, { ...steps[0]!, step: 1 }];
  const next = first.slice(0, over + 1).map((record, i) => ({ ...record, step: 1, seq: 10_000 + i }) as AnyRecord);
  send({ type: "snapshot", run: run("running"), steps: both, step: 1, seq: 10_000, records: sent(next) });
  const { acting, visible } = controller.situation;
  expect(visible.shown.has(acting!)).toBe(true);
});
