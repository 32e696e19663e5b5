/** While a program runs only what has changed is painted: what comes of it must be the picture that is painted whole. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { LiveServer, until } from "./live";
import { pacedProgram } from "../tools/paced";
import { idle, picture } from "./page";
import { hasServer } from "./python";

test.setTimeout(300_000);
test.use({ reducedMotion: "reduce", viewport: { width: 1200, height: 800 } });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

/** The difference, of 255, by which a pixel is another. */
const SHADE = 64;

/** Without `before` it keeps the picture in the page, as seen on white; with it, how many of its pixels are others now. */
const compare = (page: Page, before: boolean): Promise<number> =>
  page.evaluate(
    ([before, shade]) => {
      const page = window as { kept?: Uint8ClampedArray };
      const canvas = document.querySelector<HTMLCanvasElement>(".pane canvas")!;
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const seen = data.map((value, i) => 255 + ((value - 255) * data[i | 3]!) / 255);
      if (!before) page.kept = seen;
      const kept = page.kept!;
      if (kept.length !== seen.length) return -1;
      const others = new Set<number>();
      seen.forEach((value, i) => i % 4 < 3 && Math.abs(value - kept[i]!) > shade && others.add(i >> 2));
      return others.size;
    },
    [before, SHADE] as const,
  );

/** The canvas is emptied, and all of it painted, from where the camera stands. */
async function paintWhole(page: Page): Promise<void> {
  await page.evaluate(() => window.minigradExplorer!.repaint());
  await idle(page);
}

/** Nothing more of what the program did is on its way: the last records of a backward free what it had saved. */
async function atRest(page: Page): Promise<void> {
  const seen: number[] = [];
  const same = async () => seen.push(await picture(page)) > 2 && new Set(seen.slice(-3)).size === 1;
  await expect.poll(same, { intervals: [300] }).toBe(true);
  await idle(page);
}

/** A long curve that is cut by a piece may be a shade off there; a missing sign has 25 pixels or more. */
async function isWhole(page: Page): Promise<void> {
  await atRest(page);
  await compare(page, false);
  await paintWhole(page);
  const changed = await compare(page, true);
  expect(changed).toBeGreaterThanOrEqual(0);
  expect(changed).toBeLessThan(8);
}

test("a program that runs, its new ops and its backward", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "paced.py");
    writeFileSync(file, pacedProgram(40));
    const { program, run } = await live.watch(file);
    await page.goto(run);
    await expect(page.getByRole("heading", { name: "paced.py" }).first()).toBeVisible();
    await idle(page);
    const empty = await picture(page);
    program.stdin!.write("go\n");
    await until(program, /events/);
    await expect.poll(() => page.evaluate(() => window.minigradExplorer!.rectOf("n40") !== null)).toBe(true);
    await idle(page);
    const grown = await picture(page);
    expect(grown).not.toBe(empty);
    await isWhole(page);
    program.stdin!.write("go\n");
    await until(program, /backward is done/);
    await expect(page.locator("footer .now")).toContainText("Backward finished");
    await idle(page);
    expect(await picture(page)).not.toBe(grown);
    await isWhole(page);
  } finally {
    live.stop();
  }
});
