/** One element of a recorded step is dragged: forward and backward are computed again, beside what the slope predicted. */
import type { ChildProcess } from "node:child_process";
import { expect, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { kill, LiveServer, until } from "./live";
import { idle, open, picture, press } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const panel = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const slider = (page: Page) => panel(page).getByRole("slider");

/** The panel's words: the loss before and after, its change, and the prediction. */
async function said(page: Page) {
  const [loss, change, predicted] = await panel(page).locator("dl dd").allInnerTexts();
  const numbers = (text: string | undefined): number[] =>
    [...(text ?? "").replaceAll("−", "-").matchAll(/[-+]?\d[\d.]*(e-?\d+)?/g)].map(([each]) => Number(each));
  const [before, after] = numbers(loss);
  return { before: before!, after: after!, change: numbers(change)[0]!, predicted: numbers(predicted)[0]! };
}

/** Opens the panel of a leaf by its name. */
async function choose(page: Page, name: string): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type(`name:${name}`);
  await idle(page);
  await press(page, "Enter");
  await press(page, "Escape");
}

test("micrograd's first expression: arrow keys move a, and g goes where the slope said; let go, all is as it was", async ({
  page,
}) => {
  await open(page, recorded("run=micrograd&sel=t1"));
  const still = await picture(page);
  await slider(page).focus();
  await expect(slider(page)).toHaveAttribute("aria-valuetext", "−4");
  await press(page, "Shift+ArrowRight");
  const fine = await said(page);
  expect(fine.before).toBeCloseTo(24.704, 3);
  expect(fine.predicted).toBeCloseTo(138.83 * 0.004, 2);
  expect(fine.change).toBeCloseTo(fine.predicted, 1);
  expect(await picture(page), "the boxes show the new numbers").not.toBe(still);
  await press(page, "ArrowRight", 5);
  const far = await said(page);
  expect(Math.abs(far.change - far.predicted)).toBeGreaterThan(Math.abs(fine.change - fine.predicted));
  await expect(panel(page).locator("[aria-live]")).toContainText("the slope predicted +");
  await expect(panel(page).getByRole("row", { name: /^b/ })).toBeVisible();
  await expect(panel(page).getByRole("row", { name: /^a/ })).toContainText("138.8");
  await expectClean(page, "aside.right");
  await press(page, "Escape");
  await expect(slider(page)).toHaveAttribute("aria-valuetext", "−4");
  await expect(panel(page).locator("dl.mono")).toHaveCount(0);
});

test("a mouse drags a weight of an MLP and an element of an attention's, and loss and gradients follow", async ({
  page,
}) => {
  for (const [run, name] of [
    ["learning", "0.weight"],
    ["attention", "query.weight"],
  ] as const) {
    await open(page, recorded(`run=${run}&step=2`));
    await choose(page, name);
    await expect(slider(page)).toBeVisible();
    const box = (await slider(page).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.55, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await idle(page);
    const now = await said(page);
    expect(now.change).not.toBe(0);
    expect(Math.sign(now.change)).toBe(Math.sign(now.after - now.before));
    expect(await panel(page).locator("tbody tr").count()).toBeGreaterThan(3);
    await panel(page).getByRole("button", { name: "As it was" }).click();
    await expect(panel(page).locator("dl.mono")).toHaveCount(0);
  }
});

test("a number that the program wrote down can be dragged", async ({ page }) => {
  await open(page, recorded("run=micrograd"));
  await page.keyboard.press("/");
  await page.keyboard.type("op:Pow");
  await idle(page);
  await press(page, "Enter");
  await slider(page).first().focus();
  await press(page, "ArrowRight");
  expect((await said(page)).change).not.toBe(0);
});

test.describe("a paused program", () => {
  const server = new LiveServer();
  let program: ChildProcess | null = null;
  test.beforeAll(() => server.start());
  test.afterAll(() => {
    if (program) kill(program);
    server.stop();
  });

  test("is computed on from where it is held, and is not touched itself", async ({ page }) => {
    program = server.program(["fixtures/paused.py", "op=Tanh,backward"], { MINIGRAD_PAUSE_GRACE: "2" });
    const run = await until(program, /#run=\S+/);
    await page.goto(server.address + run);
    await expect(page.getByRole("region", { name: "The program is paused" })).toContainText("Paused before Tanh");
    await choose(page, "first.weight");
    await slider(page).focus();
    await press(page, "ArrowRight");
    await expect(panel(page).locator("dl.mono")).toContainText("predicted");
    await expect(page.getByRole("region", { name: "The program is paused" })).toContainText("Paused before Tanh");
  });
});
