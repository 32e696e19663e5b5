/** A real program, held still inside forward and backward from the browser: seen, stepped, continued, never hung. */
import type { ChildProcess } from "node:child_process";
import { expect, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { kill, LiveServer, until } from "./live";
import { idle } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
test.slow();

const server = new LiveServer();
let program: ChildProcess | null = null;
let said = "";

/** Starts the program, and opens it in the page. */
async function watch(page: Page, ...breakpoints: string[]): Promise<void> {
  said = "";
  program = server.program(["fixtures/paused.py", ...breakpoints], { MINIGRAD_PAUSE_GRACE: "2" });
  const run = await until(program, /#run=\S+/, (text) => (said += text));
  await page.goto(server.address + run);
  await expect(page.getByRole("heading", { name: "paused.py" }).first()).toBeVisible();
}

/** The number of steps that the program has taken: it prints a line for each. */
const steps = (): number => said.match(/^step$/gm)?.length ?? 0;

async function goesOn(): Promise<void> {
  const before = steps();
  await expect.poll(steps).toBeGreaterThan(before);
}

const bar = (page: Page) => page.getByRole("region", { name: "The program is paused" });

test.beforeAll(() => server.start());

test("an audience sees the program run; a pause is refused, said so, and no longer waited for", async ({ page }) => {
  await watch(page, "op=None");
  await page.context().clearCookies();
  await page.goto(server.audience + new URL(page.url()).hash);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("This key is for watching only")).toBeVisible();
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await goesOn();
});

test.afterEach(() => {
  if (program) kill(program);
});
test.afterAll(() => server.stop());

test("Python stops inside backward; the page says where, the node is in sight, and it steps and continues", async ({
  page,
}) => {
  await watch(page, "op=Tanh,backward");
  await expect(bar(page)).toContainText("Paused before Tanh");
  await expect(bar(page)).toContainText("paused.py:16");
  await expect(bar(page)).toContainText("backward");
  await expect(bar(page)).toContainText("breakpoint op=Tanh,backward");
  await expect(page.locator("header .status")).toHaveText("Paused at Tanh, paused.py:16");
  await expect(page).toHaveTitle(/Paused at Tanh/);
  await expect(page.getByRole("heading", { name: "Tanh", exact: true })).toBeVisible();
  await expect(page.locator("[aria-live]").filter({ hasText: "paused before Tanh of hidden, backward" })).toHaveCount(
    1,
  );
  await idle(page);
  await expect(page).toHaveURL(/sel=n\d/);
  const key = /sel=(n\d+)/.exec(page.url())![1]!;
  const rect = (await page.evaluate((k) => window.minigradExplorer!.rectOf(k), key))!;
  const pane = (await page.locator(".pane").boundingBox())!;
  expect(rect.x + rect.w / 2).toBeGreaterThan(0);
  expect(rect.x + rect.w / 2).toBeLessThan(pane.width);
  expect(rect.y).toBeGreaterThan(0);
  expect(rect.y + rect.h).toBeLessThan(pane.height);
  expect(steps()).toBe(0);

  await page.getByRole("button", { name: "Step s" }).click();
  await expect(bar(page)).toContainText("Paused before Affine");
  await expect(bar(page)).toContainText("net / first");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect.poll(steps).toBe(1);
  await expect(bar(page)).toContainText("step 1");
});

test("with the keyboard alone: pause, step, over the module, break here, run to here, continue", async ({ page }) => {
  await watch(page);
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await page.keyboard.press("p");
  await expect(bar(page)).toContainText("as requested");
  await page.keyboard.press("s");
  await expect(bar(page)).toContainText("one step on");
  await page.keyboard.press("Shift+B");
  await expect(page.getByRole("heading", { name: "Breakpoints" })).toBeVisible();
  const form = page.locator("form").filter({ hasText: "Stop at" });
  await form
    .getByRole("textbox")
    .or(form.getByRole("combobox", { name: "an op" }).last())
    .last()
    .focus();
  await page.keyboard.type("Affine");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown"); // forward only: over the last op of a backward lies the next step's Affine
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Remove the breakpoint op=Affine,forward" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "Breakpoints" })).toBeHidden();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("p");
  await expect(bar(page)).toContainText("breakpoint op=Affine,forward");
  await page.keyboard.press("Shift+B");
  await page.keyboard.press("o");
  await expect(bar(page)).not.toContainText("breakpoint");
  await page.getByRole("button", { name: "Remove the breakpoint op=Affine,forward" }).press("Enter");
  await expect(page.getByText("None. The program stops")).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("p");
  await expect(bar(page)).toBeHidden();
  await goesOn();
});

test("run to here stops one time at the chosen op, break here each time", async ({ page }) => {
  await watch(page, "op=Tanh,forward");
  await expect(bar(page)).toContainText("Paused before Tanh");
  await page.getByRole("button", { name: "Breakpoints" }).click();
  await page.getByRole("button", { name: "Remove the breakpoint op=Tanh,forward" }).click();
  await expect(page.getByText("None. The program stops")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Affine", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Run to here" }).click();
  await expect(bar(page)).toContainText("run to here");
  await expect(bar(page)).toContainText("Paused before Affine");
  await page.getByRole("button", { name: "Break here" }).click();
  await expect(page.getByRole("button", { name: "Do not break here" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("p");
  await expect(bar(page)).toContainText(/breakpoint op=Affine,line=paused.py:16,module=net.first/);
});

test("a new viewer and the list of runs see it paused; when all have gone it goes on by itself", async ({
  page,
  context,
}) => {
  await watch(page, "name=hidden");
  await expect(bar(page)).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(bar(other)).toContainText("Paused before");
  await other.getByRole("button", { name: "minigrad, all runs" }).click();
  await expect(other.getByRole("row", { name: /paused\.py/ }).first()).toContainText(/Paused at \w+, paused.py:16/);
  await page.goto("about:blank");
  await other.goto("about:blank");
  await expect.poll(() => said).toContain("goes on by itself");
  await goesOn();
});

test("axe finds nothing serious while it is paused", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await watch(page, "op=Tanh,backward");
  await expect(bar(page)).toBeVisible();
  await page.getByRole("button", { name: "Breakpoints" }).click();
  await idle(page);
  await expectClean(page);
});

test("a killed server leaves the program running", async ({ page }) => {
  await watch(page, "op=Tanh,backward");
  await expect(bar(page)).toBeVisible();
  await page.getByRole("button", { name: "Step s" }).click();
  await expect(bar(page)).toContainText("Affine");
  server.crash();
  await expect.poll(() => said).toContain("goes on by itself");
  await goesOn();
  await server.start();
});
