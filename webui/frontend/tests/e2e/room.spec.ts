/** Enlarged for the back row, on half a screen or a phone: the picture keeps its room, and nothing sticks out. */
import { expect, test } from "@playwright/test";
import { expectClean } from "./axe";
import { idle, open, press } from "./page";

test.use({ reducedMotion: "reduce" });

/** 1280 by 800 at 150 % and 200 %, a tablet upright, a phone. */
const SIZES = [
  [853, 533],
  [640, 400],
  [800, 1100],
  [400, 800],
] as const;

for (const [width, height] of SIZES)
  test(`at ${width} by ${height} the picture is large, all of it can be reached, and nothing sticks out`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await open(page, "#run=xor&step=3&sel=n3");
    const pane = (await page.locator(".pane").boundingBox())!;
    expect(pane.width).toBeGreaterThan(width * 0.55);
    expect(pane.height).toBeGreaterThanOrEqual(Math.min(240, height * 0.45));
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("html, header, footer, .explorer")].map((e) => e.scrollWidth - e.clientWidth),
    );
    expect(Math.max(...wide)).toBeLessThanOrEqual(0);
    for (const name of ["Inspector", "Source and curves"]) {
      const part = page.getByRole("complementary", { name });
      await part.scrollIntoViewIfNeeded();
      await expect(part).toBeInViewport();
    }
    const inspector = (await page.getByRole("complementary", { name: "Inspector" }).boundingBox())!;
    const source = (await page.getByRole("complementary", { name: "Source and curves" }).boundingBox())!;
    const apart =
      inspector.y + inspector.height <= source.y + 1 ||
      source.y + source.height <= inspector.y + 1 ||
      inspector.x + inspector.width <= source.x + 1;
    expect(apart).toBe(true);
    await expectClean(page);
  });

test("a key gives the picture all the room, a link keeps it so, and comparing takes it back", async ({ page }) => {
  await open(page, "#run=xor&step=3");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const before = (await page.locator(".pane").boundingBox())!.width;
  await press(page, "m");
  await expect(inspector).toBeHidden();
  expect((await page.locator(".pane").boundingBox())!.width).toBeGreaterThan(before * 1.5);
  await expect(page).toHaveURL(/wide=1/);
  await page.reload();
  await idle(page);
  await expect(inspector).toBeHidden();
  await expect(page.getByRole("button", { name: "More room for the picture" })).toHaveAttribute("aria-pressed", "true");
  await press(page, "c");
  await expect(inspector).toBeVisible();
  await expect(page).not.toHaveURL(/wide=1/);
});
