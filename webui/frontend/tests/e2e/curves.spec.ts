/** Curves over the steps: those of two runs over each other, and gradient norms by module. */
import { expect, type Locator, test } from "@playwright/test";
import type { Step } from "../../src/protocol";
import { idle, open } from "./page";
import { hasServer, recorded, RECORDED_TOKEN } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("two runs lie over each other, with their difference below", async ({ page, request }) => {
  await open(page, recorded("run=vanishing"));
  const stepsOf = async (run: string): Promise<Step[]> => {
    const headers = { Authorization: `Bearer ${RECORDED_TOKEN}` };
    return (await request.get(new URL(`api/runs/${run}/steps`, page.url()).href, { headers })).json();
  };
  const curves = page.locator("#curves");
  await expect(curves.locator("path.other")).toHaveCount(0);
  await curves.getByRole("combobox", { name: "Another run’s loss" }).selectOption("learning");
  await idle(page);
  await expect(curves.locator("svg[height='72'] path.other")).toHaveAttribute("d", /^M.*L/);
  const [mine, theirs] = [await stepsOf("vanishing"), await stepsOf("learning")];
  const apart = mine.flatMap(({ step, loss }) => {
    const other = theirs.find((row) => row.step === step)?.loss;
    return loss != null && other != null ? Math.abs(loss - other) : [];
  });
  const most = Math.max(...apart);
  const told = await curves.locator(".bound", { hasText: /^\+/ }).textContent();
  expect(Math.abs(Number(told) - most) / most, "the largest difference stands at the axis").toBeLessThan(0.06);
  await curves.getByRole("combobox", { name: "Another run’s loss" }).selectOption("");
  await expect(curves.locator("path.other")).toHaveCount(0);
});

test("gradient norms by module open to parameters, with the mouse and with the keyboard", async ({ page }) => {
  await open(page, recorded("run=vanishing&curves=norms"));
  const list = page.getByRole("list", { name: "Parameters and their gradient norms" });
  await page.getByRole("button", { name: "by module" }).click();
  const body = list.getByRole("button", { name: /body\b/ }).first();
  await expect(body).toHaveAttribute("aria-expanded", /true|false/);
  const layer = list.locator("button", { hasText: "body.22(2)" }).first();
  if ((await body.getAttribute("aria-expanded")) === "false") await body.click();
  await expect(layer).toHaveAttribute("aria-expanded", "false");
  const lines = page.locator("#curves g.lines path");
  const before = await lines.count();
  await layer.focus();
  await page.keyboard.press("Enter");
  await expect(list.locator("button", { hasText: "body.22.weight" })).toBeVisible();
  await expect(lines).toHaveCount(before + 1);
  const norm = async (name: string) =>
    Number(await list.locator("button", { hasText: name }).first().getAttribute("data-norm"));
  const parts = [await norm("body.22.weight"), await norm("body.22.bias")];
  expect(await norm("body.22(2)")).toBeCloseTo(Math.hypot(...parts), 8);
});

test("two steps whose elements all differ are compared by gradients, here, there and how many times", async ({
  page,
}) => {
  await open(page, recorded("run=vanishing&step=7"));
  await page.keyboard.press("c");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByLabel("Step to compare with").fill("0");
  await inspector.getByRole("button", { name: "Compare" }).click();
  await idle(page);
  const by = inspector.getByRole("combobox", { name: "Compare by" });
  await by.selectOption("gradient");
  await expect(inspector.getByText(/^gradient norm: \d+ changed/)).toBeVisible();
  const cells = inspector.locator("table.by tbody tr").first().locator("td");
  const [here, there] = (await cells.allTextContents()).slice(1, 3).map((text) => Number(text.replace("−", "-")));
  const change = (await cells.nth(3).textContent())!;
  const times = here! / there!;
  expect(change[0]).toBe(times > 1 ? "×" : "÷");
  expect(Number(change.slice(1)) / Math.max(times, 1 / times)).toBeCloseTo(1, 1);
  await by.selectOption("value");
  await expect(inspector.getByText(/^norm of the value: \d+ changed/)).toBeVisible();
  await by.selectOption("elements");
  await expect(inspector.getByText(/\d+ differences; in the picture/)).toBeVisible();
});

test("the elements of a parameter and of its gradient are bands over the steps, with numbers of the shown one", async ({
  page,
}) => {
  await open(page, recorded("run=digits&step=28"));
  await page.getByRole("button", { name: "0.weight" }).first().click();
  const chart = (name: string): Locator => page.getByRole("img", { name: new RegExp(`^${name}: step \\d+: half of`) });
  for (const name of ["Value", "\\.grad"]) {
    await expect(chart(name)).toBeVisible();
    await expect(chart(name).locator("path")).toHaveCount(3);
  }
  await expect(chart("Value")).toHaveAccessibleName(/step 28: half of the elements lie from −0\.0\d+ to 0\.0\d+/);
  await page.getByRole("spinbutton", { name: "Step" }).fill("3");
  await page.keyboard.press("Enter");
  await expect(chart("Value")).toHaveAccessibleName(/step 3: /);
});
