/** Feature 18: the memory strip's peak is the profiler's, and hovering says who holds what. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { LiveServer } from "./live";
import { idle, open, press } from "./page";
import { env, hasServer, PYTHON, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const PROFILE = `
import sys
from runpy import run_path
from minigrad.autograd import profiler
with profiler.profile(profile_memory=True) as prof:
    run_path(sys.argv[1], run_name="__main__")
print(prof.peak_held)
`;

for (const [run, hash] of [
  ["expression", ""],
  ["sequence", "&step=1"],
  ["checkpointed", "&step=1"],
  ["images", "&step=1"],
]) {
  test(`the peak of ${run}.py is the profiler's, to the byte`, async ({ page }) => {
    const said = execFileSync(PYTHON, ["-c", PROFILE, `fixtures/programs/${run}.py`], { env, encoding: "utf8" });
    const peak = Number(said.trim().split("\n").at(-1));
    await open(page, recorded(`run=${run}${hash}`));
    await expect(page.locator("footer .kinds")).toContainText(/parameters.*gradients.*saved activations/);
    await expect(page.locator("footer .peak")).toHaveAttribute(
      "title",
      `${peak.toLocaleString("en-GB")} bytes of all tensors together, the most in this step`,
    );
  });
}

test("hovering over the strip says how much there is of each kind, and who keeps the most", async ({ page }) => {
  await open(page, recorded("run=digits&step=3"));
  await press(page, "Home");
  const kinds = page.locator("footer .kinds");
  await expect(kinds).toContainText(
    /parameters.*gradients.*inputs.*saved activations 0 B.*other activations.*temporary/,
  );
  const track = (await page.getByRole("slider", { name: "Event" }).boundingBox())!;
  await page.mouse.move(track.x + track.width * 0.4, track.y + 30);
  await idle(page);
  await expect(kinds).not.toContainText("saved activations 0 B");
  await expect(page.locator("footer .hint")).toContainText(/saved activations: .* by Relu #\d/);
});

test("all that hovering over the strip says can be read on a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, recorded("run=sequence&step=1"));
  const track = (await page.getByRole("slider", { name: "Event" }).boundingBox())!;
  await page.mouse.move(track.x + track.width * 0.6, track.y + 30);
  await idle(page);
  const hint = page.locator("footer p").filter({ hasText: /saved activations: .* by .* and \d+ more$/ });
  const [room, needed] = await hint.evaluate((p) => [p.clientWidth, p.scrollWidth]);
  expect(needed).toBeLessThanOrEqual(room!);
  const box = (await hint.boundingBox())!;
  expect([box.x >= 0, box.x + box.width <= 1280, box.y + box.height <= track.y]).toEqual([true, true, true]);
});

test("activations are a kind of their own: backward lets go of those that were saved, a variable holds the rest", async ({
  page,
}) => {
  await open(page, recorded("run=expression"));
  const kinds = page.locator("footer .kinds");
  await press(page, "Home");
  await press(page, "ArrowRight", 5);
  await expect(kinds).toContainText(/saved activations 4 B\s*other activations 4 B/);
  await press(page, "End");
  await expect(kinds).toContainText(/saved activations 0 B\s*other activations 8 B/);
});

/** A NaN in a step of which only numbers are kept, until it is found. */
const LATE = `import minigrad as mg

w = mg.ones(8, requires_grad=True)
for step in range(3001):
    loss = (w * 0).sum() / (3000 - step)
    loss.backward()
    w.grad = None
`;

test("where nothing was measured yet, it is said from where on memory is known", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "late.py");
    writeFileSync(file, LATE);
    const { program, run } = await live.watch("-m", "minigrad", "run", "--no-browser", file);
    await new Promise((ended) => program.once("exit", ended));
    await page.goto(run);
    await expect(page.getByText(/made .* NaN/).first()).toBeVisible();
    await idle(page);
    const kinds = page.locator("footer .kinds");
    await press(page, "Home");
    const from = Number(/from event (\d+) on/.exec(await kinds.innerText())![1]);
    await press(page, "ArrowRight", from - 1);
    await expect(kinds).toContainText(`from event ${from} on`);
    await press(page, "ArrowRight");
    await expect(kinds).toContainText("parameters 32 B");
  } finally {
    live.stop();
  }
});
