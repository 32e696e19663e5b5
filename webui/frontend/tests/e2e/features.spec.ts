/** Acceptance of features that no other file asserts: live forward, gradients on edges, saved tensors, hooks, broadcasts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { liveRun } from "../tools/measures";
import { LiveServer } from "./live";
import { idle, open, press } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("each op of a program that runs appears on its own, and backward moves nothing", async ({ page }) => {
  test.setTimeout(300_000);
  const [wait, moved] = await liveRun(page, 30);
  expect(wait!.all).toHaveLength(30);
  expect(moved!.seen).toBe(0);
});

test("what an op saved is named with its bytes, and is grey from the moment it is released", async ({ page }) => {
  await open(page, recorded("run=expression&step=0&sel=n1"));
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const saved = inspector.locator("section", { has: page.getByRole("heading", { name: "Saved for backward" }) });
  await expect(saved).toContainText("released");
  await press(page, "Home");
  await expect(saved).toHaveCount(0);
  await press(page, "ArrowRight", 2);
  await expect(saved).toContainText(/\d+ B/);
  await expect(saved).not.toContainText("released");
});

test("gradients stand at their edges, one number for each contribution", async ({ page }, info) => {
  await open(page, recorded("run=expression&step=0"));
  await page.locator("[popovertarget=share-menu]").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Picture, SVG" }).click(),
  ]);
  const file = info.outputPath("edges.svg");
  await download.saveAs(file);
  const written = [...readFileSync(file, "utf8").matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  // b = a * a + a: the product sends a * slope of tanh to a twice, the sum sends that slope to a and to the product.
  expect(written.filter((text) => text === "0.298")).toHaveLength(2);
  expect(written.filter((text) => text === "0.597")).toHaveLength(3);
});

test("a hook is shown with the gradient before and after it", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "hooked.py");
    writeFileSync(
      file,
      `import sys
import minigrad as mg

mg.watch("hooked.py", browser=False)
x = mg.tensor(3.0, requires_grad=True)
y = x * 2


def doubled(grad):
    return grad * 2


y.register_hook(doubled)
(y * 5).backward()
sys.stdin.readline()
`,
    );
    const { run } = await live.watch(file);
    await page.goto(`${run}&sel=n1`);
    await idle(page);
    const hooks = page.locator("section", { has: page.getByRole("heading", { name: "Hooks" }) });
    await expect(hooks).toContainText("doubled");
    await expect(hooks).toContainText("5 → 10");
  } finally {
    live.stop();
  }
});

test("a broadcast names the shapes, and the sum on the way back", async ({ page }) => {
  await open(page, "#run=xor&step=3&sel=n2");
  await expect(page.getByText(/summed from \d+×\d+ to \d+: it had been broadcast/)).toBeVisible();
});
