/** `minigrad export`: one file from a trace, or from those of several ranks, opened from the disk. */
import { execFileSync } from "node:child_process";
import { expect, type Page, test } from "@playwright/test";
import { writeFileSync } from "node:fs";
import { event, idle, open, press, rectOf } from "./page";
import { env, hasServer, PYTHON, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

/** The errors of a page from now on; a request to any server is one. */
function problemsOf(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => /^https?:/.test(request.url()) && problems.push(request.url()));
  return problems;
}

test("a trace becomes a file that steps, scrubs and inspects without a server", async ({ page }, info) => {
  const file = info.outputPath("replay.html");
  execFileSync(PYTHON, ["-m", "minigrad", "export", "fixtures/traces/learning.jsonl", "-o", file], { env });
  const problems = problemsOf(page);
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

/** A file of two ranks that took so many steps, the traces given in this order. */
function exported(steps: number, ranks: readonly number[], output: (name: string) => string): string {
  const traces = ranks.map((rank) => output(`rank${rank}.jsonl`));
  const launch = { ...env, WORLD_SIZE: String(ranks.length), MINIGRAD_LAUNCH: "together" };
  const recorded = ["--headless", "--values", "all", "--record", output("rank{rank}.jsonl")];
  for (const rank of ranks) {
    const command = ["-m", "minigrad", "run", ...recorded, "fixtures/ranked.py", String(steps)];
    execFileSync(PYTHON, command, { env: { ...launch, RANK: String(rank) }, input: "", stdio: "pipe" });
  }
  const file = output("ranks.html");
  execFileSync(PYTHON, ["-m", "minigrad", "export", ...traces, "-o", file], { env, stdio: "pipe" });
  return file;
}

test("the traces of two ranks become one file: two lanes, what was reduced between them, and either rank from the list", async ({
  page,
}, info) => {
  const file = exported(1, [1, 0], (name) => info.outputPath(name));
  const problems = problemsOf(page);
  await page.goto(`file://${file}#tree=1`);
  await idle(page);
  const tree = page.getByRole("tree");
  await expect(tree).toContainText(/rank 0.*rank 1.*all-reduce of w.grad, 8 B: mean over 2 ranks/);
  const [zero, one, bar] = await Promise.all(
    ["m/rank 0", "m/rank 1", "c1"].map(async (key) => (await rectOf(page, key))!),
  );
  expect(zero!.x + zero!.w).toBeLessThan(one!.x);
  expect(bar!.y).toBeGreaterThan(Math.max(zero!.y + zero!.h, one!.y + one!.h));

  await tree.getByText("all-reduce").click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("2 of 2 ranks have taken part");
  const rows = inspector.getByRole("table", { name: "w.grad, before and after" }).locator("tbody tr");
  await expect(rows).toHaveText([/0.*w.*2.*3/, /1.*w.*4.*3/]);
  await page.getByRole("button", { name: "To the start" }).click();
  await expect(inspector).toContainText("0 of 2 ranks have taken part");

  await page.getByRole("button", { name: "Runs", exact: true }).click();
  const list = page.getByRole("table").getByRole("row");
  await expect(list.filter({ hasText: "ranked.py" })).toHaveText([/rank 0/, /rank 1/]);
  await expect(page.getByRole("button", { name: /Delete/ })).toHaveCount(0);
  await expect(page.getByRole("link")).toHaveCount(0);
  await list.filter({ hasText: "rank 0" }).click();
  await idle(page);
  await expect.poll(() => rectOf(page, "m/rank 1")).not.toBeNull();
  await page.goBack();
  await expect(list.first()).toBeVisible();
  expect(problems).toEqual([]);
});

test("a file of two ranks opens at the moment that its address says, and compares a step with all of both", async ({
  page,
}, info) => {
  const file = exported(3, [0, 1], (name) => info.outputPath(name));
  const problems = problemsOf(page);
  await page.goto(`file://${file}#at=25`);
  await idle(page);
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("2");
  expect(await event(page)).toMatch(/Event 1\d of 3\d/);
  await press(page, "End");
  await press(page, "c");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(page.getByLabel("Run to compare with").locator("option")).toHaveText(["this run"]);
  await page.getByLabel("Step to compare with").fill("2");
  await inspector.getByRole("button", { name: "Compare" }).click();
  await expect(page.getByText("No difference: the same ops, values and gradients.")).toBeVisible();
  await page.getByLabel("Step to compare with").fill("1");
  await inspector.getByRole("button", { name: "Compare" }).click();
  await expect(inspector.getByRole("button", { name: "rank 0 w" })).toBeVisible();
  await expect(inspector.getByRole("button", { name: "rank 1 w" })).toBeVisible();
  expect(problems).toEqual([]);
});

test("one line of HTML shows a recorded step with its player in another page", async ({ page, context }, info) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, recorded("run=learning&step=3&sel=n2"));
  await page.getByRole("button", { name: "Share" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: /Embed, HTML/ }).click();
  const download = await saving;
  await download.saveAs(info.outputPath(download.suggestedFilename()));
  const line = await page.evaluate(() => navigator.clipboard.readText());
  const slide = info.outputPath("slide.html");
  writeFileSync(slide, `<!doctype html><title>A talk</title><h1>Backward</h1>${line}`);

  const problems = problemsOf(page);
  await page.goto(`file://${slide}`);
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("footer .now b")).toHaveText(/^Event \d+ of \d+$/);
  await expect(frame.locator(".pane canvas").first()).toBeVisible();
  await expect(frame.getByRole("complementary")).toHaveCount(0);
  await frame.getByRole("button", { name: "To the start" }).click();
  await frame.getByRole("button", { name: "Step", exact: true }).click();
  await expect(frame.locator("footer .now b")).toHaveText(/^Event 1 of/);
  expect(problems).toEqual([]);
});
