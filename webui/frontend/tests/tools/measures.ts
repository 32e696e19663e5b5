/** The explorer's speed as its user has it: each measure is taken in the page, with real input and real frames. */
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, expect, type Page } from "@playwright/test";
import { grouped } from "../../src/language/text";
import { idle, open, press } from "../e2e/page";
import { recorded } from "../e2e/python";
import { LiveServer, until } from "../e2e/live";
import { giant } from "./giant";
import { pacedProgram } from "./paced";
import { allOpen } from "./traces";

export interface Measured {
  what: string;
  unit: string;
  /** The goal: at most this, or at least. */
  reach: number;
  atLeast?: boolean;
  seen: number;
  /** The same work in milliseconds of the processor's time, which a busy machine does not stretch as it does the clock's. */
  cpu?: number;
  /** Each single measurement, where there is more than one. */
  all?: number[];
  note: string;
}

/** The value that a share of all lie below. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Reads how long the page's main thread has worked, in milliseconds of the processor's time. */
async function working(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration")!.value * 1000;
  };
}

const GIANT = "run=gpt";
const BLOCKS = "m/model/blocks.0*";

/** From an op's start in Python to the first frame that has its box; and how far boxes move when backward starts. */
export async function liveRun(page: Page, ops: number): Promise<Measured[]> {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "paced.py");
    writeFileSync(file, pacedProgram(ops));
    const { program, run } = await live.watch(file);
    await page.goto(run);
    await expect(page.getByRole("heading", { name: "paced.py" }).first()).toBeVisible();
    await idle(page);
    const seen = page.evaluate(firstFrames, ops);
    const worked = await working(page);
    const begun = await worked();
    program.stdin!.write("go\n");
    const done = await until(program, /events: (\[.*\])/);
    const events = JSON.parse(done) as number[];
    const waits = (await seen).map((at, i) => at - events[i]! * 1000);
    const cpu = ((await worked()) - begun) / ops;
    await idle(page);
    const before = await page.evaluate(places, ops);
    program.stdin!.write("go\n");
    await until(program, /backward is done/);
    await expect(page.locator("footer .now")).toContainText("Backward finished");
    await idle(page);
    const after = await page.evaluate(places, ops);
    const moved = before.map((was, i) => Math.hypot(after[i]![0]! - was[0]!, after[i]![1]! - was[1]!));
    return [
      {
        what: `event to screen, ${ops} ops, 95th percentile`,
        unit: "ms",
        reach: 100,
        seen: quantile(waits, 0.95),
        cpu,
        all: waits,
        note: `one op each 20 ms of a live program, from Python to the frame; median ${quantile(waits, 0.5).toFixed(0)} ms`,
      },
      {
        what: `movement of ${ops} nodes when backward starts`,
        unit: "px",
        reach: 0,
        // A millionth of a pixel is the arithmetic of the camera.
        seen: Math.round(Math.max(...moved) * 1e6) / 1e6,
        note: "the farthest of them, live",
      },
    ];
  } finally {
    live.stop();
  }
}

/** The wall clock, in milliseconds, at the first frame that has each of the ops. */
const firstFrames = (count: number): Promise<number[]> =>
  new Promise((resolve) => {
    const seen: number[] = [];
    const look = (): void => {
      while (seen.length < count && window.minigradExplorer!.rectOf(`n${seen.length + 1}`))
        seen.push(performance.timeOrigin + performance.now());
      if (seen.length < count) requestAnimationFrame(look);
      else resolve(seen);
    };
    look();
  });

/** The places of the ops, wherever the camera is. */
const places = (count: number): number[][] =>
  Array.from({ length: count }, (_, i) => {
    const { rectOf, camera } = window.minigradExplorer!;
    const [rect, eye] = [rectOf(`n${i + 1}`)!, camera()];
    return [rect.x / eye.zoom + eye.x, rect.y / eye.zoom + eye.y];
  });

/** From the click on a link to the frame with the folded picture, in a browser that has never been here. */
export async function coldOpen(browser: Browser): Promise<Measured> {
  const { id, nodes } = await giant(9, 45);
  const times: number[] = [];
  const works: number[] = [];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.addInitScript((key) => {
      const look = (): void => {
        if (!window.minigradExplorer?.rectOf(key)) return void setTimeout(look, 4); // frames of its own would cost time
        requestAnimationFrame(() => setTimeout(() => console.log(`readable after ${performance.now()}`)));
      };
      look();
    }, BLOCKS);
    const worked = await working(page);
    // Told by the page itself: to look for it would put a script into the page, and run it there.
    const readable = page.waitForEvent("console", (message) => message.text().startsWith("readable after "));
    await page.goto(recorded(`run=${id}`), { waitUntil: "commit" });
    times.push(Number((await readable).text().split(" ").at(-1)));
    works.push(await worked());
    await context.close();
  }
  return {
    what: `${grouped(nodes)} nodes, cold, to readable (collapsed)`,
    unit: "ms",
    reach: 1000,
    seen: quantile(times, 0.5),
    cpu: quantile(works, 0.5),
    all: times,
    note: `median of ${times.length}, each with an empty cache`,
  };
}

/** The program of the corpus with the largest net, which waits for a line of input. */
function largeProgram(live: LiveServer): string {
  const file = join(live.folder, "gpt12.py");
  copyFileSync("fixtures/pace.py", join(live.folder, "pace.py"));
  const source = readFileSync("fixtures/corpus/gpt12.py", "utf8");
  writeFileSync(file, `__import__("pace").wait(0); ${source}`);
  return file;
}

/** A GPT of twelve layers at the default settings: how smoothly it is followed, and how soon its run is seen after. */
export async function largeNet(page: Page, browser: Browser): Promise<Measured[]> {
  const live = new LiveServer();
  try {
    await live.start();
    const { program, run } = await live.watch("-m", "minigrad", "run", "--no-browser", largeProgram(live));
    await page.goto(run);
    await idle(page);
    const atMost = await page.evaluate(framesIn, 1000);
    const worked = await working(page);
    const begun = await worked();
    const ended = new Promise<void>((done) => program.once("exit", () => done()));
    const drawn = page.evaluate(framesWhileFollowing);
    program.stdin!.write("go\n");
    await ended;
    const { frames, seconds } = await drawn;
    const cpu = ((await worked()) - begun) / Math.max(1, frames);
    const [times, works] = await opened(browser, run);
    return [
      {
        what: "frames a second while a 12-layer GPT is followed",
        unit: "",
        reach: 30,
        atLeast: true,
        seen: frames / seconds,
        cpu,
        note: `over ${seconds.toFixed(1)} s, its program on the same machine; an empty page draws ${atMost.toFixed(0)} here`,
      },
      {
        what: "12-layer GPT, cold, to readable",
        unit: "ms",
        reach: 1000,
        seen: quantile(times, 0.5),
        cpu: quantile(works, 0.5),
        all: times,
        note: `median of ${times.length}, each with an empty cache, until boxes are in sight`,
      },
    ];
  } finally {
    live.stop();
  }
}

/** Frames a second of a page in which nothing happens. */
const framesIn = (ms: number): Promise<number> =>
  new Promise((resolve) => {
    const start = performance.now();
    let frames = 0;
    const next = (now: number): void => {
      frames += 1;
      if (now - start < ms) requestAnimationFrame(next);
      else resolve((frames * 1000) / (now - start));
    };
    requestAnimationFrame(next);
  });

/** From the first box in sight until the camera rests. */
const framesWhileFollowing = (): Promise<{ frames: number; seconds: number }> =>
  new Promise((resolve) => {
    let [frames, start] = [0, 0];
    const next = (now: number): void => {
      const { mode, boxes } = window.minigradExplorer!.shot();
      if (start === 0 && mode === "directing" && boxes > 0) start = now;
      if (start > 0) frames += 1;
      if (start > 0 && mode !== "directing") resolve({ frames, seconds: (now - start) / 1000 });
      else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

/** The time until a page shows boxes in a browser that has never been here, by the clock and of the main thread. */
async function opened(browser: Browser, address: string): Promise<[times: number[], works: number[]]> {
  const [times, works]: [number[], number[]] = [[], []];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const look = (): void => {
        if (!window.minigradExplorer?.shot().boxes) return void setTimeout(look, 4);
        requestAnimationFrame(() => setTimeout(() => console.log(`readable after ${performance.now()}`)));
      };
      look();
    });
    const worked = await working(page);
    const readable = page.waitForEvent("console", (message) => message.text().startsWith("readable after "));
    await page.goto(address, { waitUntil: "commit" });
    times.push(Number((await readable).text().split(" ").at(-1)));
    works.push(await worked());
    await context.close();
  }
  return [times, works];
}

/** The script of each frame while the whole graph, with every module open, is pushed about. */
export async function panning(page: Page): Promise<Measured> {
  await open(page, recorded(`${GIANT}&open=${allOpen("gpt", 3)}`));
  const ops = await page.evaluate(
    () => Array.from({ length: 6723 }, (_, i) => `n${i + 1}`).filter(window.minigradExplorer!.rectOf).length,
  );
  expect(ops).toBeGreaterThan(6000);
  await press(page, "f");
  const worked = await working(page);
  const begun = await worked();
  const far = await page.evaluate(pan, 240);
  await press(page, "+", 14);
  const near = await page.evaluate(pan, 240);
  const cpu = ((await worked()) - begun) / 480;
  const times = [...far, ...near];
  return {
    what: "script a frame while panning 13,000 nodes, 95th percentile",
    unit: "ms",
    reach: 4,
    seen: quantile(times, 0.95),
    cpu,
    all: times,
    note: `${ops} ops with their twins; ${far.length} frames of the whole (${quantile(far, 0.95).toFixed(1)} ms), ${near.length} near (${quantile(near, 0.95).toFixed(1)} ms)`,
  };
}

/** Pushes the picture once a frame; the script time of each frame. */
async function pan(frames: number): Promise<number[]> {
  const pane = document.querySelector(".pane")!;
  for (let i = 0; i < frames; i++) {
    const [deltaX, deltaY] = [i % 120 < 60 ? 6 : -6, i % 2 ? 8 : -4];
    pane.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, bubbles: true, cancelable: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return window.minigradExplorer!.frameMs().slice(-frames);
}

/** From the press on the strip to the frame that shows that event, all over a run of 46,000 events. */
export async function restoring(page: Page): Promise<Measured> {
  await open(page, recorded(GIANT));
  await press(page, "End");
  await page.evaluate(listen);
  const track = (await page.getByRole("slider", { name: "Event" }).boundingBox())!;
  const worked = await working(page);
  const times: number[] = [];
  const works: number[] = [];
  for (let i = 0; i < 40; i++) {
    const begun = await worked();
    // The golden ratio goes everywhere, and never to the same place.
    await page.mouse.click(track.x + 10 + ((i * 0.618034) % 1) * (track.width - 20), track.y + 40);
    times.push(Number(await page.locator(`html[data-shown="${i + 1}"]`).getAttribute("data-took")));
    works.push((await worked()) - begun);
    await idle(page);
  }
  return {
    what: "restoring any of 46,000 events",
    unit: "ms",
    reach: 100,
    seen: Math.max(...times),
    cpu: Math.max(...works),
    all: times,
    note: `the slowest of ${times.length} over the whole run, median ${quantile(times, 0.5).toFixed(0)} ms`,
  };
}

/** Counts presses and says how long each took to be seen. */
function listen(): void {
  const { dataset } = document.documentElement;
  let [start, count] = [0, 0];
  document.addEventListener("pointerdown", (event) => (start = event.timeStamp), true);
  const done = (): void => {
    if (!start) return;
    dataset.took = String(performance.now() - start);
    dataset.shown = String((count += 1));
    start = 0;
  };
  const changed = (): void => void requestAnimationFrame(() => setTimeout(done));
  const shown = document.querySelector("footer .now b")!;
  new MutationObserver(changed).observe(shown, { subtree: true, childList: true, characterData: true });
}

/** The largest number of bytes a browser has to fetch. */
export function bundle(): Measured {
  const text = execFileSync("node", ["scripts/size.mjs"], { encoding: "utf8" });
  const kib = Number(/(\d+) KiB in all/.exec(text)![1]);
  return { what: "bundle, gzipped", unit: "MiB", reach: 1.5, seen: kib / 1024, note: "all files together" };
}
