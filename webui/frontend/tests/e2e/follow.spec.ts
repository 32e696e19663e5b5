/** The camera goes with what is new in a program that runs, until somebody looks elsewhere. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { pacedProgram } from "../tools/paced";
import { LiveServer, until } from "./live";
import { idle, inSight, press, rectOf } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const OPS = 40;
/** More than anyone waits for: such a program ends when it is told to. */
const ENDLESS = 1500;
/** So many ops on, what ran is out of the picture. */
const MORE = 60;

/** Runs a program of so many ops, of which `meanwhile` may say that they are enough. How many there were. */
async function run(
  page: Page,
  live: LiveServer,
  meanwhile: (enough: () => void) => Promise<void> | void = () => {},
  ops = OPS,
): Promise<number> {
  await live.start();
  const file = join(live.folder, "paced.py");
  // On a busy machine, too, all of it is recorded.
  writeFileSync(file, pacedProgram(ops).replace("browser=False", 'browser=False, values="all"'));
  const { program, run } = await live.watch(file);
  await page.goto(run);
  await idle(page);
  program.stdin!.write("go\n");
  await expect.poll(() => rectOf(page, "n4")).not.toBeNull();
  await meanwhile(() => program.stdin!.write("enough\n"));
  const ran = (await until(program, /events: \[(.*)\]/)).split(",").length;
  await expect.poll(() => rectOf(page, `n${ran}`)).not.toBeNull();
  await idle(page);
  return ran;
}

/**
 * Moves the picture a little, as a mouse wheel does. The op that is then nearest to the middle, and where it is: both at
 * once, since the next layout may bring another op near the middle.
 */
async function lookElsewhere(page: Page): Promise<[string, number]> {
  const keys = Array.from({ length: ENDLESS }, (_, i) => `n${i + 1}`);
  return page.evaluate((all) => {
    const [clientX, clientY] = [500, 400];
    const turned = new WheelEvent("wheel", { deltaY: 10, clientX, clientY, bubbles: true, cancelable: true });
    document.elementFromPoint(clientX, clientY)!.dispatchEvent(turned);
    const { rectOf, shot } = window.minigradExplorer!;
    const { width, height } = shot().pane;
    const rects = all.map((key) => ({ key, rect: rectOf(key) })).filter(({ rect }) => rect !== null);
    const far = (rect: { x: number; y: number; w: number; h: number }): number =>
      Math.hypot(rect.x + rect.w / 2 - width / 2, rect.y + rect.h / 2 - height / 2);
    const { key, rect } = rects.reduce((a, b) => (far(b.rect!) < far(a.rect!) ? b : a));
    return [key, rect!.y] as [string, number];
  }, keys);
}

/** The key of the newest op in the picture. */
const newestOf = (page: Page): Promise<string> =>
  page.evaluate((most) => {
    const keys = Array.from({ length: most }, (_, i) => `n${i + 1}`);
    return keys.findLast((key) => window.minigradExplorer!.rectOf(key) !== null)!;
  }, ENDLESS);

test("the newest op is in sight; the address says nothing of it", async ({ page }) => {
  const live = new LiveServer();
  try {
    await run(page, live);
    expect(await inSight(page, `n${OPS}`)).toBe(true);
    expect(await inSight(page, "n1")).toBe(false);
    expect(page.url()).not.toContain("cam=");
    await expect(page.getByRole("button", { name: "Follow the newest op" })).toHaveCount(0);
  } finally {
    live.stop();
  }
});

test("who looks elsewhere stays there, and comes back by a button", async ({ page }) => {
  const live = new LiveServer();
  try {
    let [looked, there] = ["", 0];
    const elsewhere = async (enough: () => void): Promise<void> => {
      [looked, there] = await lookElsewhere(page);
      await expect(page.getByRole("button", { name: "Follow the newest op" })).toBeVisible();
      await expect.poll(() => rectOf(page, `n${Number(looked.slice(1)) + MORE}`)).not.toBeNull();
      await expect.poll(async () => inSight(page, await newestOf(page))).toBe(false); // it passes by in the next column
      enough();
    };
    const newest = `n${await run(page, live, elsewhere, ENDLESS)}`;
    expect((await rectOf(page, looked))!.y).toBeCloseTo(there, 6);
    expect(await inSight(page, newest)).toBe(false);
    await page.getByRole("button", { name: "Follow the newest op" }).click();
    await idle(page);
    expect(await inSight(page, newest)).toBe(true);
    await expect(page.getByRole("button", { name: "Follow the newest op" })).toHaveCount(0);
  } finally {
    live.stop();
  }
});

const LATER = `
import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.publish.publisher import Publisher

with Recorder(Publisher(), id="later"):
    x = mg.tensor(3.0, requires_grad=True)
    (x * x).backward()
`;

test("a run that begins after its page was opened appears there by itself", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    await page.goto(`${live.address}#run=later`);
    await expect(page.getByText("If its program has just started, it appears here by itself.")).toBeVisible();
    const file = join(live.folder, "later.py");
    writeFileSync(file, LATER);
    live.program([file]);
    await expect.poll(() => rectOf(page, "n1")).not.toBeNull();
    await expect(page.getByText("This run cannot be shown.")).toHaveCount(0);
  } finally {
    live.stop();
  }
});

test("who is taken to where the program stops has not looked elsewhere, and stays there in a new layout", async ({
  page,
}) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "paced.py");
    const stopping = pacedProgram(OPS)
      .replace("browser=False", 'browser=False, breakpoints=["op=Affine,backward"]')
      .replace("h, events = x", "h, events = mg.nn.Sequential(mg.nn.Linear(8, 8))(x)");
    writeFileSync(file, stopping);
    const { program, run } = await live.watch(file);
    await page.goto(run);
    program.stdin!.write("go\n");
    await until(program, /events/);
    await expect.poll(() => rectOf(page, `n${OPS}`)).not.toBeNull();
    await idle(page);
    expect(await inSight(page, "n1")).toBe(false);
    program.stdin!.write("go\n");
    await expect(page.getByRole("region", { name: "The program is paused" })).toContainText("Paused before Affine");
    await expect.poll(() => inSight(page, "n1")).toBe(true);
    await idle(page);
    await press(page, "e");
    expect(await rectOf(page, "n1")).toBeNull();
    await press(page, "e");
    expect(await inSight(page, "n1")).toBe(true);
    await expect(page.getByRole("button", { name: "Follow the newest op" })).toHaveCount(0);
  } finally {
    live.stop();
  }
});

test("while ops rush by, the panel counts them; when the program rests, it tells of the newest", async ({ page }) => {
  const live = new LiveServer();
  const panel = page.getByRole("complementary", { name: "Inspector" });
  try {
    const rushing = async (enough: () => void): Promise<void> => {
      await expect(panel).toContainText(/\d\d ops, 1 leaf/); // how steadily it does so, `shown.test.ts` says
      enough();
    };
    const newest = await run(page, live, rushing, ENDLESS);
    await expect(panel).toContainText(`#${newest}`);
  } finally {
    live.stop();
  }
});
