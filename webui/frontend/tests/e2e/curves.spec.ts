/** Curves over the steps: those of two runs over each other, and gradient norms by module. */
import { expect, test } from "@playwright/test";
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
