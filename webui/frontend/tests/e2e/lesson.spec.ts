/** A lesson's page in every state, by keyboard, and as axe sees it. */
import { expect, test } from "@playwright/test";
import { expectClean } from "./axe";
import { cell, check, keys, openLesson, ready, run, settled, write } from "./lesson";
import { LiveServer } from "./live";
import { idle } from "./page";
import { hasServer, PYTHON } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 300_000 });
test.use({ reducedMotion: "reduce" });

const LESSON = "lesson/01-one-number-one-slope";
const server = new LiveServer();
const GRAPH = "import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad.item())";

test.beforeAll(() => server.start());
test.afterAll(async () => {
  await server.leave();
  server.stop();
});

test("a cell is run by keyboard, with what it needs; its output and its graph appear", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const [first, second] = await keys(page);
  await write(page, second!, GRAPH);
  await page.keyboard.press("Shift+Enter");
  await settled(page);
  await expect(cell(page, second!).getByLabel("Printed")).toHaveText("6.0");
  await expect(cell(page, first!)).toContainText("Ran in");
  await expect(page.locator("[data-said]")).toHaveText(/^The cell has run\. 6\.0/);
  await expect.poll(() => page.evaluate(() => window.minigradExplorer!.rectOf("n1"))).not.toBeNull();
  await expect(page.getByText("Look at this in the explorer")).toBeVisible();
  await expect(page.getByRole("link", { name: "Open in the explorer" })).toHaveAttribute("href", /#run=/);
});

test("a changed cell is stale, and what was printed is there after a reload", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const [first, second] = await keys(page);
  await expect(cell(page, second!).getByLabel("Printed")).toHaveText("6.0");
  await write(page, first!, "import math");
  await expect(cell(page, first!)).toContainText("Edited since it ran");
  await expect(cell(page, second!)).toContainText("Stale: run it again");
  await cell(page, first!)
    .getByRole("button", { name: /^Reset/ })
    .click();
  await idle(page);
  await expect(cell(page, first!)).not.toContainText("Edited");
});

test("what was written a moment ago is there after a reload, in every cell", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const written = (await keys(page)).slice(0, 2);
  for (const each of written) await write(page, each, `# just now, in ${each}`);
  await page.reload();
  await ready(page);
  for (const each of written) {
    await expect(cell(page, each)).toContainText(`# just now, in ${each}`);
    await cell(page, each)
      .getByRole("button", { name: /^Reset/ })
      .click();
    await idle(page);
  }
});

test("an error shows its line, and leads to it", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const [, second] = await keys(page);
  await write(page, second!, "a = 1\nb = nothing\nc = 3");
  await run(page, second!);
  await expect(cell(page, second!)).toContainText("NameError: name 'nothing' is not defined");
  await expect(cell(page, second!).locator(".cm-wrong")).toHaveText("b = nothing");
  await cell(page, second!).getByRole("button", { name: "line 2" }).click();
  await page.keyboard.type("x");
  await expect(cell(page, second!).locator(".cm-line").nth(1)).toHaveText("xb = nothing");
});

test("what never ends is stopped, and Python that ended can be started again", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const [, second] = await keys(page);
  await write(page, second!, "print('on and on')\nwhile True: pass");
  await page.keyboard.press("Shift+Enter");
  await expect(cell(page, second!).getByLabel("Printed")).toHaveText("on and on");
  await page.keyboard.press("Control+.");
  await settled(page);
  await expect(cell(page, second!)).toContainText("Stopped");
  await write(page, second!, "import os\nos._exit(1)");
  await run(page, second!);
  await expect(page.getByText("Python has ended.")).toBeVisible();
  await page.getByRole("button", { name: "Start it again" }).click();
  await write(page, second!, "print('again')");
  await run(page, second!);
  await expect(cell(page, second!).getByLabel("Printed")).toHaveText("again");
});

test("a guess is compared, and then there is the answer", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const question = page.getByRole("group", { name: "Predict, then reveal" }).first();
  test.skip((await question.count()) === 0, "the lesson asks nothing");
  await question.getByLabel("Your guess").fill("a lot");
  await page.keyboard.press("Enter");
  await expect(question).toContainText("A number, such as 1.5");
  await question.getByLabel("Your guess").fill("123456");
  await page.keyboard.press("Enter");
  await expect(question).toContainText("Not quite. The answer is");
});

test("another window takes the lesson over, and gives it back", async ({ page, context }) => {
  await openLesson(page, server.page(LESSON));
  const other = await context.newPage();
  await openLesson(other, server.page(LESSON));
  await expect(page.getByText("This lesson is open in another window.")).toBeVisible();
  await page.getByRole("button", { name: "Use it here" }).click();
  await ready(page);
  await expect(other.getByText("This lesson is open in another window.")).toBeVisible();
});

test("without its server the page says so, and goes on when it is back", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  const [first] = await keys(page);
  await server.leave();
  await expect(page.getByText("The server does not answer.")).toBeVisible();
  await write(page, first!, "import math  # written meanwhile");
  await server.start();
  await expect(page.getByText("The server does not answer.")).toBeHidden();
  await run(page, first!);
  await page.reload();
  await ready(page);
  await expect(cell(page, first!).locator(".cm-line").first()).toHaveText("import math  # written meanwhile");
});

test("the lesson is reset after a question", async ({ page }) => {
  await openLesson(page, server.page(LESSON));
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByRole("button", { name: "Reset the lesson" }).click();
  await settled(page);
  await expect(page.getByText("Edited")).toHaveCount(0);
  await expect(page.locator("[data-said]")).toHaveText("The lesson is as it was before you began.");
});

test("axe finds nothing serious in the list and in a lesson at work", async ({ page }) => {
  await page.goto(server.page("lessons"));
  await idle(page);
  await expectClean(page);
  await openLesson(page, server.page(LESSON));
  const [, second, exercise] = await keys(page);
  await write(page, second!, `${GRAPH}\nnothing`);
  await run(page, second!);
  await check(page, exercise!);
  await cell(page, exercise!).getByRole("button", { name: /hint/ }).click();
  await idle(page);
  await expectClean(page);
});

for (const [width, height] of [
  [1280, 720],
  [1920, 1080],
  [390, 800],
] as const) {
  test(`nothing sticks out at ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    for (const path of ["lessons", LESSON]) {
      await page.goto(server.page(path));
      await idle(page);
      const wide = await page.evaluate(() => {
        const text = document.querySelector("article, main")!;
        return [document.documentElement.scrollWidth - innerWidth, text.scrollWidth - text.clientWidth];
      });
      expect(wide.every((excess) => excess <= 0)).toBe(true);
    }
    if (width > 860) return;
    await page.getByRole("button", { name: "Graph" }).click();
    await expect(page.getByRole("region", { name: "Graph" })).toBeVisible();
    await expect(page.getByRole("article")).toBeHidden();
  });
}
