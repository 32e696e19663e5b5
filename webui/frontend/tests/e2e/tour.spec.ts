/** A tour of a run: stops with their own numbers, by keys and buttons, in the link, in the file, and heard. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { idle, inSight, open, press } from "./page";
import { hasServer, PORTS, recorded, RECORDED_TOKEN } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const tour = (page: Page) => page.getByRole("region", { name: "Tour of the run" });
const title = (page: Page) => tour(page).getByRole("heading").innerText();

test("keys go from stop to stop; each chooses its op, brings it into sight, and is said where it is heard", async ({
  page,
}) => {
  await open(page, recorded("run=learning&step=5"));
  await page.getByRole("button", { name: /Tour of the run/ }).click();
  await idle(page);
  expect(await title(page)).toMatch(/^The loss 1 of \d/);
  await expect(tour(page).locator("[aria-live]")).toContainText(/begins at .* and ends at .* in step 5/);
  const titles = [await title(page)];
  for (let next = tour(page).getByRole("button", { name: "Next" }); await next.isEnabled();) {
    await press(page, ".");
    titles.push(await title(page));
    const key = /sel=(\w+)/.exec(page.url())?.[1];
    if (key) await expect.poll(() => inSight(page, key), `${titles.at(-1)}: ${key}`).toBe(true);
    await expect(tour(page).locator("p")).not.toBeEmpty();
  }
  expect(titles.length).toBeGreaterThan(3);
  expect(titles.join()).toContain("The largest gradient");
  await press(page, ",");
  expect(await title(page)).toBe(titles.at(-2));
  await expectClean(page, ".tour");
  await press(page, "Escape");
  await expect(tour(page)).toHaveCount(0);
});

test("a NaN is a stop in its own step, which the link leads to, and the tour goes on from there", async ({ page }) => {
  await open(page, recorded("run=poisoned&step=3"));
  await press(page, ".");
  while (!(await title(page)).startsWith("Where it went wrong")) await press(page, ".");
  await expect(page).toHaveURL(/step=1/);
  await expect(page).toHaveURL(/tour=trouble,3/);
  const said = await tour(page).locator("p").innerText();
  expect(said).toContain("Step 1, line 13: The backward of Sqrt");
  await expect(page.locator("footer .now")).toContainText("Anomaly");
  await page.reload();
  await idle(page);
  await expect(tour(page).locator("p")).toHaveText(said);
  await expect(page).toHaveURL(/step=1/);
  await press(page, ".");
  await expect(tour(page).locator("p")).not.toHaveText(said);
});

test("the file that opens without a server has the tour, at the stop that its address names", async ({ page }) => {
  const file = join(mkdtempSync(join(tmpdir(), "tour-")), "run.html");
  const { writeFileSync } = await import("node:fs");
  const answer = await page.request.get(`http://127.0.0.1:${PORTS.recorded}/api/runs/learning/page`, {
    headers: { authorization: `Bearer ${RECORDED_TOKEN}` },
  });
  writeFileSync(file, await answer.body());
  await page.goto(`${pathToFileURL(file).href}#run=learning&step=5&tour=largest,5`);
  await idle(page);
  expect(await title(page)).toMatch(/^The largest gradient/);
  await press(page, ".");
  expect(await title(page)).not.toMatch(/^The largest gradient/);
  await expect(page.getByRole("heading", { name: "Touch the number" })).toHaveCount(0);
});
