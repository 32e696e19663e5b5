/** Runs of real programs, on the real server: each opens, shows what it was recorded for, and can be stepped. */
import { expect, test } from "@playwright/test";
import { event, idle, open, press, rectOf } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const RUNS: [run: string, step: number, ops: number][] = [
  ["expression", 0, 3],
  ["digits", 28, 4],
  ["convolutions", 5, 12],
  ["sequence", 1, 600],
  ["gpt", 0, 6000],
  ["newton", 3, 20],
  ["checkpointed", 1, 20],
];

/** The problem, and the event's text where the run opens. */
const TROUBLED: [run: string, event: RegExp, told: string][] = [
  ["diverging", /^Event 11 of/, "Log #7 gives 16×1"],
  ["stale", /^Event 13 of 14/, "has been modified by an inplace operation"],
];

for (const [run, step, ops] of RUNS) {
  test(`${run}.py opens at its last step, and goes back an event`, async ({ page }) => {
    await open(page, recorded(`run=${run}`));
    await expect(page.getByRole("heading", { name: `${run}.py`, exact: true }).first()).toBeVisible();
    if (step > 0) await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue(String(step));
    const facts = await page.locator(".facts").first().innerText();
    expect(Number(/^([\d,]+) op/.exec(facts)![1]!.replaceAll(",", ""))).toBeGreaterThanOrEqual(ops);
    const [at, of] = /Event ([\d,]+) of ([\d,]+)/.exec(await event(page))!.slice(1);
    expect(at).toBe(of);
    await press(page, "ArrowLeft");
    expect(await event(page)).not.toContain(`Event ${of} of`);
  });
}

for (const [run, at, told] of TROUBLED) {
  test(`${run}.py opens where it went wrong, with the op chosen, and goes back an event`, async ({ page }) => {
    await open(page, recorded(`run=${run}`));
    await expect(page.getByRole("heading", { name: `${run}.py`, exact: true }).first()).toBeVisible();
    await expect(page.locator("footer .now b")).toHaveText(at);
    await expect(page.locator("footer")).toContainText(told);
    await expect(page.getByRole("complementary", { name: "Inspector" }).locator(".explain")).toBeVisible();
    await press(page, "ArrowLeft");
    await expect(page.locator("footer .now b")).not.toHaveText(at);
  });
}

test("the list counts the steps that the timeline has, which are numbered from 0", async ({ page }) => {
  await open(page, recorded(""));
  const row = page.getByRole("row").filter({ hasText: "learning.py" });
  await expect(row.getByRole("cell").nth(2)).toHaveText("6");
  await row.getByRole("button", { name: "learning.py", exact: true }).click();
  await idle(page);
  await expect(page.getByRole("group", { name: "Training steps" })).toContainText("of 0–5");
});

test("what a checkpoint runs again stands in the call that it recomputes, and opens from there", async ({ page }) => {
  await open(page, recorded("run=checkpointed&step=1&tree=1"));
  for (const block of ["m/blocks.0", "m/blocks.1", "m/blocks.3"]) {
    const [outer, again] = [(await rectOf(page, block))!, (await rectOf(page, `${block}/recomputed`))!];
    expect([again.x > outer.x, again.x + again.w < outer.x + outer.w]).toEqual([true, true]);
    expect([again.y > outer.y, again.y + again.h < outer.y + outer.h]).toEqual([true, true]);
  }
  await open(page, recorded("run=checkpointed&step=1&tree=1&sel=n29"));
  await expect(page.getByRole("tree")).toContainText("recomputed");
});

test("Escape closes what is open, one thing at a time, and only then takes the selection back", async ({ page }) => {
  await open(page, recorded("run=vanishing&sel=n1"));
  const findings = page.getByRole("region", { name: "What is wrong" }).locator("p");
  const form = page.getByLabel("Step to compare with");
  const steps = page.getByRole("group", { name: "All steps" });
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "2 more" }).click();
  await page.getByRole("button", { name: "All steps" }).click();
  await form.focus();
  const there = async (): Promise<number[]> => [await steps.count(), await findings.count(), await form.count()];
  expect(await there()).toEqual([1, 3, 1]);
  for (const left of [
    [0, 3, 1],
    [0, 1, 1],
    [0, 1, 0],
  ]) {
    await page.keyboard.press("Escape");
    expect(await there()).toEqual(left);
  }
  await expect(page).toHaveURL(/sel=n1/);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/sel=/);
});
