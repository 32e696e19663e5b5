/** A learner's walk off the fast track, which has a test of its own: reads, runs, errs and takes every hint, is right. */
import { expect, type Page, test } from "@playwright/test";
import { type Mistake, tellCourse, type Told } from "./course";
import { cell, check, keys, openLesson, run, write } from "./lesson";
import { LiveServer } from "./live";
import { hasServer, PYTHON } from "./python";
import { idle } from "./page";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 600_000 });
test.use({ reducedMotion: "reduce" });

const course: Told[] = hasServer() ? tellCourse().filter((told) => !told.fast) : [];
const server = new LiveServer();
let page: Page;

test.beforeAll(async ({ browser }) => {
  await server.start();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
});
test.afterAll(async () => {
  await page.close();
  await server.leave();
  server.stop();
});

const verdict = (key: string) => cell(page, key).locator(".verdict");

async function err(key: string, { sentence, code }: Mistake): Promise<void> {
  await write(page, key, code);
  await check(page, key);
  await expect(verdict(key)).toContainText("Not yet.");
  await expect(verdict(key)).toContainText(sentence.replaceAll("`", ""));
  await expect(verdict(key).locator("dt")).toContainText(["called", "expected", "came back"]);
}

async function takeHints(key: string): Promise<void> {
  const hints = cell(page, key).getByRole("list", { name: "Hints" }).getByRole("listitem");
  while (await cell(page, key).locator(".ask button").isVisible()) {
    const before = await hints.count();
    await cell(page, key).locator(".ask button").click();
    await idle(page);
    await expect(hints).toHaveCount(before + 1);
  }
  expect(await hints.count()).toBeGreaterThanOrEqual(2);
  await expect(hints.last()).toContainText("Solution");
}

for (const told of course) {
  test(`a learner walks through ${told.slug}`, async () => {
    await openLesson(page, server.page(`lesson/${told.slug}`));
    await expect(page.getByRole("heading", { level: 1, name: told.title })).toBeVisible();
    const [first] = await keys(page);
    await run(page, first!);
    await expect(cell(page, first!)).toContainText("Ran in");

    for (const [at, [key, solution]] of Object.entries(told.solutions).entries()) {
      if (at === 0) {
        await err(key, told.mistakes[key]![0]!); // Python's tests make every mistake
        await takeHints(key);
      }
      await write(page, key, solution);
      await check(page, key);
      await expect(cell(page, key).locator("header").getByText("Passed")).toBeVisible();
    }

    for (const question of await page.getByRole("group", { name: "Predict, then reveal" }).all()) {
      await question.getByLabel("Your guess").fill("123456789");
      await page.keyboard.press("Enter");
      await expect(question).toContainText("Not quite. The answer is");
    }
  });
}
