/** Feature 25: a link is a prepared state, the camera included; and the address is written seldom. */
import { execFileSync } from "node:child_process";
import { expect, type Page, test } from "@playwright/test";
import { clickItem, idle, open, picture, press, rectOf } from "./page";
import { env, hasServer, PYTHON } from "./python";

test.use({ reducedMotion: "reduce" });

const camera = (page: Page) => page.evaluate(() => window.minigradExplorer!.camera());

/** Somewhere with the mouse: nearer, and a bit to the side. */
async function lookElsewhere(page: Page): Promise<void> {
  const pane = (await page.locator(".pane").boundingBox())!;
  await page.mouse.move(pane.x + 200, pane.y + 300);
  await page.mouse.wheel(0, -240);
  await page.mouse.down();
  await page.mouse.move(pane.x + 320, pane.y + 210, { steps: 12 });
  await page.mouse.up();
  await idle(page);
}

/** Waits until the address says where the camera is. */
async function told(page: Page): Promise<void> {
  const agree = (): Promise<boolean> =>
    page.evaluate(() => {
      const { x, y, zoom } = window.minigradExplorer!.camera();
      const pane = document.querySelector(".pane")!;
      const middle = [x + pane.clientWidth / zoom / 2, y + pane.clientHeight / zoom / 2, zoom];
      const said = /cam=([^&]*)/.exec(location.hash)?.[1]?.split(",").map(Number) ?? [];
      return said.length === 3 && middle.every((v, i) => Math.abs(v - said[i]!) < 0.006);
    });
  await expect.poll(agree).toBe(true);
}

/** Opens the address of one page in another, and compares the two. */
async function opensAlike(page: Page, fresh: Page): Promise<void> {
  await told(page);
  await open(fresh, page.url());
  const [a, b] = [await camera(page), await camera(fresh)];
  expect(b.zoom).toBeCloseTo(a.zoom, 4);
  expect(b.x).toBeCloseTo(a.x, 1);
  expect(b.y).toBeCloseTo(a.y, 1);
  await told(fresh);
  expect(fresh.url()).toBe(page.url());
}

test("the camera is in the address, and the link opens on the very same picture", async ({ page, context }) => {
  await open(page, "#run=xor");
  expect(page.url()).not.toContain("cam=");
  await clickItem(page, "n3");
  await press(page, "ArrowLeft", 7);
  await lookElsewhere(page);
  await expect(page).toHaveURL(/cam=-?[\d.]+,-?[\d.]+,[\d.]+/);
  const fresh = await context.newPage();
  await opensAlike(page, fresh);
  const again = await context.newPage();
  await open(again, fresh.url());
  expect(await picture(again)).toBe(await picture(fresh));
  expect(await rectOf(again, "n3")).toEqual(await rectOf(fresh, "n3"));
});

test("a link from before there were cameras opens as it did, and brings what is chosen into sight", async ({
  page,
}) => {
  await open(page, "#run=xor&step=20&sel=n6");
  const rect = (await rectOf(page, "n6"))!;
  const pane = (await page.locator(".pane").boundingBox())!;
  expect(rect.x).toBeGreaterThan(0);
  expect(rect.x + rect.w).toBeLessThan(pane.width);
  expect(rect.y).toBeGreaterThan(0);
  expect(rect.y + rect.h).toBeLessThan(pane.height);
});

test("another address in the same window turns the camera too", async ({ page }) => {
  await open(page, "#run=xor&cam=100,200,0.5");
  const before = await camera(page);
  await page.evaluate(() => (location.hash = "#run=xor&cam=300,200,0.75"));
  await idle(page);
  const after = await camera(page);
  expect(after.zoom).toBe(0.75);
  expect(after).not.toEqual(before);
});

test("moving about writes the address seldom, and adds nothing to the way back", async ({ page }) => {
  await open(page, "#run=xor");
  await page.evaluate(() => {
    const counted = window as unknown as { writes: number };
    counted.writes = 0;
    const replace = history.replaceState.bind(history);
    history.replaceState = (...args) => ((counted.writes += 1), replace(...args));
  });
  const length = await page.evaluate(() => history.length);
  const pane = (await page.locator(".pane").boundingBox())!;
  await page.mouse.move(pane.x + 200, pane.y + 300);
  const start = Date.now();
  for (let i = 0; i < 40; i++) {
    await page.mouse.wheel(i % 2 ? 30 : -20, 5);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await told(page);
  const writes = await page.evaluate(() => (window as unknown as { writes: number }).writes);
  expect(writes).toBeGreaterThan(0);
  expect(writes).toBeLessThanOrEqual(Math.ceil((Date.now() - start) / 300) + 1);
  expect(await page.evaluate(() => history.length)).toBe(length);
});

test("in the file that needs no server it is so too", async ({ page, context }, info) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  const file = info.outputPath("replay.html");
  execFileSync(PYTHON, ["-m", "minigrad", "export", "fixtures/traces/learning.jsonl", "-o", file], { env });
  await open(page, `file://${file}#run=learning&step=3`);
  await lookElsewhere(page);
  await expect(page).toHaveURL(/^file:.*cam=/);
  await opensAlike(page, await context.newPage());
});

test("a picture larger than the pane has a map of itself, and a press there goes there", async ({ page }) => {
  await open(page, "#run=transformer");
  await press(page, "Shift+E");
  const map = page.locator(".map svg");
  await press(page, "+", 8);
  await expect(map).toBeVisible();
  const box = (await map.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 4);
  await idle(page);
  const low = await camera(page);
  await page.mouse.click(box.x + box.width / 2, box.y + 4);
  await idle(page);
  expect((await camera(page)).y).toBeLessThan(low.y - 100);
  await press(page, "f");
  await expect(map).toBeHidden();
});
