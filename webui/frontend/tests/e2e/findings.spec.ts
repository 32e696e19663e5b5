/** The first line says what is wrong with the program, and leads to the op that it is about. */
import { expect, type Page, test } from "@playwright/test";
import { idle, inSight, open } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const line = (page: Page) => page.getByRole("region", { name: "What is wrong" });

test("what went wrong is said once, and a click goes to the op that made it", async ({ page }) => {
  await open(page, recorded("run=poisoned"));
  await expect(line(page)).toContainText("The backward of Sqrt made 1 infinity");
  const words = (await line(page).locator("b").first().innerText()).slice(0, 40);
  await expect(page.locator("main[aria-label='Graph']").getByText(words)).toHaveCount(0);
  await line(page).getByRole("button").first().click();
  await idle(page);
  await expect(page).toHaveURL(/sel=n\d+/);
  const key = /sel=(n\d+)/.exec(page.url())![1]!;
  await expect.poll(() => inSight(page, key)).toBe(true);
});

for (const [width, height] of [
  [390, 844],
  [1000, 620],
  [1440, 900],
] as const) {
  test(`at ${width} by ${height} the line can be read whole`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page, recorded("run=poisoned"));
    await expect(line(page)).toBeVisible();
    const state = page.locator("header .status");
    await expect(state).toContainText("Infinity since step");
    expect(await state.evaluate((chip) => chip.scrollWidth - chip.clientWidth)).toBeLessThanOrEqual(0);
    const hidden = await line(page).evaluate((region) => region.scrollHeight - region.clientHeight);
    expect(hidden).toBeLessThanOrEqual(1);
  });
}
