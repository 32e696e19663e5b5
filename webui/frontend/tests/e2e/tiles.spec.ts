/** A 4096 by 4096 weight of a running program is looked at by tiles: exact, few at a time, and honest when it is gone. */
import type { ChildProcess } from "node:child_process";
import { expect, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { LiveServer, until } from "./live";
import { idle } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
test.slow();

let server: LiveServer;
let program: ChildProcess;
let run = "";

test.beforeAll(async () => {
  server = new LiveServer();
  await server.start();
  program = server.program(["fixtures/large.py"]);
  run = await until(program, /#run=\S+/);
  await until(program, /ready/);
});

test.afterAll(() => server.stop());

const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const field = (page: Page) => inspector(page).getByRole("application").first();
const note = (page: Page) => inspector(page).getByRole("status").first();
const reading = (page: Page) => inspector(page).locator(".plane .reading").first();

/** Opens the run at the leaf of this name, and counts what is fetched of arrays. */
async function lookAt(page: Page, name: string): Promise<{ asked: string[]; bytes: () => number }> {
  const asked: string[] = [];
  let bytes = 0;
  page.on("response", async (response) => {
    if (!response.url().includes("/tile?")) return;
    asked.push(response.url());
    bytes += (await response.body().catch(() => Buffer.from(""))).length;
  });
  await page.goto(server.address + run);
  await idle(page);
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await idle(page);
  await expect(inspector(page).getByRole("heading", { name, exact: true })).toBeVisible();
  return { asked, bytes: () => bytes };
}

/** Moves the pointer to an element that is in sight as a whole. */
async function pointAt(page: Page, row: number, col: number, rows = 4096, cols = 4096): Promise<void> {
  const box = (await field(page).locator("canvas").boundingBox())!;
  await page.mouse.move(box.x + ((col + 0.5) / cols) * box.width, box.y + ((row + 0.5) / rows) * box.height);
}

test("it opens as a sample that says so, and nothing of it is fetched unasked", async ({ page }) => {
  const { asked } = await lookAt(page, "weight");
  await expect(note(page)).toContainText("A sample of 32 by 32 of 4096×4096 elements was recorded. Zoom in");
  await pointAt(page, 2048, 1024);
  await expect(reading(page)).toContainText("sample [2048, 1024]");
  await idle(page);
  expect(asked).toEqual([]);
});

test("zooming fetches the tiles in sight and no more; an element is read exactly, and a NaN is marked", async ({
  page,
}) => {
  const { asked, bytes } = await lookAt(page, "weight");
  await field(page).focus();
  await pointAt(page, 1234, 2345);
  await page.mouse.wheel(0, -690);
  await expect(note(page)).toContainText(/You see one of every \d+ rows and columns/);
  await page.mouse.wheel(0, -1390);
  await expect(note(page)).toContainText("You see every element");
  await idle(page);
  // A pixel of the whole was 16 elements; now an element is four pixels, and the pointer can be put upon it.
  const [row, col] = (await reading(page).innerText()).match(/\d+/g)!.map(Number);
  const box = (await field(page).locator("canvas").boundingBox())!;
  const scale = (260 / 4096) * Math.exp(2080 * 0.002);
  const [x, y] = [((2345 + 0.5) / 4096) * box.width, ((1234 + 0.5) / 4096) * box.height];
  await page.mouse.move(box.x + x + (2345 - col!) * scale, box.y + y + (1234 - row!) * scale);
  await expect(reading(page)).toContainText("[1234, 2345] NaN");
  await page.keyboard.press("0");
  await page.mouse.move(box.x + 2, box.y + 6);
  await page.mouse.wheel(0, -2080);
  await idle(page);
  const [top, left] = (await reading(page).innerText()).match(/\d+/g)!.map(Number);
  await page.mouse.move(box.x + 2 + (60 - left!) * scale, box.y + 6 + (100 - top!) * scale);
  await expect(reading(page)).toContainText(/\[100, 60\] 0\.125/);
  expect(asked.length).toBeGreaterThan(3);
  expect(bytes()).toBeLessThan(4096 * 4096);
});

test("it follows what the program does to the array", async ({ page }) => {
  await lookAt(page, "weight");
  await field(page).focus();
  await pointAt(page, 7, 9);
  await page.keyboard.press("+");
  await idle(page);
  await pointAt(page, 3, 4);
  await expect(note(page)).toContainText("now at v2 in step 0");
  program.stdin!.write("change\n");
  await until(program, /done/);
  await expect(note(page)).toContainText("now at v3");
});

test("an array of four axes is looked at plane by plane", async ({ page }) => {
  await lookAt(page, "filters");
  await inspector(page).getByLabel("axis 0").fill("2");
  await inspector(page).getByLabel("axis 0").press("Enter");
  await inspector(page).getByLabel("axis 1").fill("4");
  await inspector(page).getByLabel("axis 1").press("Enter");
  await idle(page);
  await pointAt(page, 39, 29, 40, 30);
  await expect(reading(page)).toContainText("[2, 4, 39, 29] 17999");
  await pointAt(page, 0, 0, 40, 30);
  await expect(reading(page)).toContainText("[2, 4, 0, 0] 16800");
});

test("axe finds nothing serious in it", async ({ page }) => {
  await lookAt(page, "weight");
  await field(page).focus();
  await pointAt(page, 1234, 2345);
  for (let i = 0; i < 6; i++) await page.keyboard.press("+");
  await expectClean(page, ".plane");
});

test("when the program has ended it says so, and shows what was recorded", async ({ page }) => {
  await lookAt(page, "weight");
  await field(page).focus();
  await page.keyboard.press("+");
  await expect(note(page)).toContainText("from the running program");
  program.stdin!.end();
  await expect(note(page)).toContainText("The program has ended, so no other element is available.");
  await expect(page).toHaveURL(/sel=/);
  await page.reload();
  await idle(page);
  await expect(note(page)).toContainText("A sample of 32 by 32");
  await expect(note(page)).toContainText("The program has ended");
});
