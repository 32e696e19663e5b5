/** The reference of ops: reached from the top bar, searched, checked on the spot, also under a path prefix. */
import { expect, test } from "@playwright/test";
import { expectClean } from "./axe";
import { idle, open } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("the reference is one click away, finds an op and checks its gradients", async ({ page }) => {
  await open(page, recorded(""));
  await page.getByRole("link", { name: "Ops" }).click();
  await idle(page);
  await expect(page).toHaveURL(/\/ops$/);
  await expect.poll(() => page.locator("article").count()).toBeGreaterThan(150);
  await page.keyboard.press("/");
  await page.keyboard.type("matmul");
  await idle(page);
  const card = page.locator("article#MatMul");
  await expect(page.locator("article").first()).toHaveId("MatMul");
  await expect(card.locator(".katex").first()).toBeVisible();
  await expect(page).toHaveURL(/q=matmul/);
  await card.getByRole("button", { name: "Check the gradients of MatMul" }).click();
  await expect(card.getByRole("status")).toContainText("agree with differences in all");
});

test("axe finds nothing serious in the reference", async ({ page }) => {
  await open(page, recorded("").replace("/?", "/ops?q=soft&"));
  await expectClean(page);
});
