/** `minigrad export`: one file from a trace, opened from the disk. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@playwright/test";
import { event, idle, press, rectOf } from "./page";
import { env, hasServer, PYTHON } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("a trace becomes a file that steps, scrubs and inspects without a server", async ({ page }, info) => {
  const file = info.outputPath("replay.html");
  execFileSync(PYTHON, ["-m", "minigrad", "export", "fixtures/traces/learning.jsonl", "-o", file], { env });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => /^https?:/.test(request.url()) && problems.push(request.url()));
  await page.goto(`file://${file}#run=learning&step=3`);
  await idle(page);
  await expect(page).toHaveTitle(/learning\.py · minigrad/);
  await expect.poll(() => rectOf(page, "n1")).not.toBeNull();

  await press(page, "Home");
  await press(page, "ArrowRight", 2);
  expect(await event(page)).toContain("Event 2 of");
  const track = (await page.getByRole("slider", { name: "Event" }).boundingBox())!;
  await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
  await idle(page);
  expect(await event(page)).not.toContain("Event 2 of");

  await press(page, "End");
  await press(page, "ArrowDown", 2);
  await expect(page.getByRole("complementary", { name: "Inspector" }).getByRole("heading").first()).toBeVisible();
  await press(page, "]");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("4");
  expect(problems).toEqual([]);
});
