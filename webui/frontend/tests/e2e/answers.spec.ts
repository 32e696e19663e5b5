import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { idle, inSight, open, picture, press, rectOf } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });

test("w says why a gradient is None, and where to look", async ({ page }) => {
  await open(page, "#run=learning&step=3&sel=t2");
  await press(page, "Home");
  await press(page, "ArrowRight", 3);
  await press(page, "w");
  await expect(page.getByText("No backward has started at this moment.").first()).toBeVisible();
  await press(page, "End");
  await expect(page.getByText("has a gradient at this moment")).toBeVisible();
});

test("w names the line of detach() in another function, both from what it cut off and from what it made", async ({
  page,
}) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=detached"));
  for (const key of ["n1", "n2", "t3"]) {
    await open(page, recorded(`run=detached&sel=${key}`));
    await press(page, "w");
    await expect(page.getByRole("status").filter({ hasText: "grad is None" })).toContainText(
      "hidden.detach() in line 9 cuts it off from the graph.",
    );
  }
  await page.getByRole("button", { name: "Tanh #2", exact: true }).first().click();
  await expect(page).toHaveURL(/sel=n2/);
});

test("g leaves only the gradient's way", async ({ page }) => {
  await open(page, "#run=images&step=1&sel=t4");
  const before = await picture(page);
  await press(page, "g");
  await expect(page.getByText("The gradient’s path between")).toBeVisible();
  expect(await picture(page)).not.toBe(before);
  await expect(page).toHaveURL(/way=1/);
  await press(page, "Escape");
  expect(await picture(page)).toBe(before);
});

test("a stale save names both lines", async ({ page }) => {
  await open(page, "#run=stale");
  await expect(page.locator('[data-line="7"]')).toContainText("saved v0");
  await expect(page.locator('[data-line="8"]')).toContainText("changed it: v1");
  await expect(page.getByText("h was changed after it was saved.")).toBeVisible();
});

test("the graph of a gradient has a lane of its own, and the third derivative of x³ is 6", async ({ page }) => {
  await open(page, "#run=curvature&sel=t1");
  const [first, second] = [(await rectOf(page, "m/∇1"))!, (await rectOf(page, "m/∇2"))!];
  expect(second.x).toBeGreaterThan(first.x + first.w);
  await expect(page.getByText("6", { exact: true }).first()).toBeVisible();
});

test("the engine shows what runs, what is ready and what waits", async ({ page }) => {
  await open(page, "#run=expression");
  await press(page, "Home");
  await press(page, "ArrowRight", 8);
  await expect(page.getByLabel("The engine")).toContainText("Tanh #3");
});

test("a run becomes pictures, and one page that needs no server", async ({ page, context }, info) => {
  test.skip(!hasServer(), "no Python with minigrad_webui");
  await open(page, recorded("run=learning&step=2"));
  const saved: Record<string, string> = {};
  for (const way of ["Picture, SVG", "Picture, PNG", "Offline page, HTML"]) {
    await page.locator("[popovertarget=share-menu]").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: way }).click(),
    ]);
    saved[way] = info.outputPath(download.suggestedFilename());
    await download.saveAs(saved[way]!);
    await idle(page);
  }
  const svg = readFileSync(saved["Picture, SVG"]!, "utf8");
  expect(svg).toContain("Affine");
  expect(svg).not.toContain("NaN");
  const offline = await context.newPage();
  const refused: string[] = [];
  offline.on("request", (request) => /^https?:/.test(request.url()) && refused.push(request.url()));
  await offline.goto(`file://${saved["Offline page, HTML"]}`);
  await idle(offline);
  await expect(offline.locator("footer .now b")).toHaveText(/Event \d+ of \d+/);
  await expect.poll(() => rectOf(offline, "n1")).not.toBeNull();
  expect(refused).toEqual([]);
});

test("two steps are compared, and identical ones show no difference", async ({ page }) => {
  await open(page, "#run=learning&step=3");
  await press(page, "c");
  await page.getByRole("complementary", { name: "Inspector" }).getByRole("button", { name: "Compare" }).click();
  await idle(page);
  await expect(page.getByText(/\d+ differences; in the picture/)).toBeVisible();
  await page.getByLabel("Step to compare with").fill("3");
  await page.getByRole("complementary", { name: "Inspector" }).getByRole("button", { name: "Compare" }).click();
  await idle(page);
  await expect(page.getByText("No difference: the same ops, values and gradients.")).toBeVisible();
});

test("n jumps to the op that made the first NaN", async ({ page }) => {
  await open(page, "#run=broken");
  await press(page, "n");
  await expect(page.getByRole("heading", { name: "Log" })).toBeVisible();
  await expect(page.locator("footer .now b")).toHaveText("Event 1 of 13");
});

test("n jumps to the step in which the first NaN of the whole run arose, past infinities that are meant", async ({
  page,
}) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await page.setViewportSize({ width: 1280, height: 480 });
  await open(page, recorded("run=poisoned"));
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("1"); // it opens there
  await open(page, recorded("run=poisoned&step=3"));
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("3");
  await press(page, "n");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("1");
  const heading = page.getByRole("heading", { name: "Sqrt" });
  await expect(heading).toBeVisible();
  const number = /#(\d+)/.exec((await page.getByRole("complementary", { name: "Inspector" }).textContent())!)![1]!;
  expect(await inSight(page, `n${number}`)).toBe(true);
});

test("what says that the program failed does not lie over the op that n jumps to", async ({ page }) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=diverging"));
  await press(page, "n");
  const op = (await rectOf(page, "n16")) ?? (await rectOf(page, "n6"))!;
  const pane = (await page.locator(".pane").boundingBox())!;
  const bar = (await page.getByText("The program failed").locator("..").locator("..").boundingBox())!;
  await expect(page.getByRole("heading", { name: "Log", exact: true })).toBeVisible();
  expect(pane.y + op.y + op.h).toBeLessThanOrEqual(bar.y);
  expect(op.y).toBeGreaterThanOrEqual(0);
});

test("a step holds its own graph, also where a line looked at the loss of the one before", async ({ page }) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=diverging&step=2&tree=1"));
  const ops = page.getByRole("tree").getByRole("treeitem");
  await expect(ops.filter({ hasText: /Mean/ })).toHaveCount(1);
  await expect(ops.filter({ hasText: /Sigmoid/ })).toHaveCount(1);
});

test("what was not taken is called so, and not as if it were still to come", async ({ page }) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=gpt&sel=m/model/last"));
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("no value was recorded in this step");
  await expect(inspector).not.toContainText("not yet");
});

test("a gradient that autograd.grad returned is not called .grad", async ({ page }) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=curvature&sel=t1"));
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector.getByRole("heading", { name: "What autograd.grad returned" }).first()).toBeVisible();
  await expect(inspector).toContainText(
    /What autograd.grad returned\s*from (\d of its|all \d of its) uses|from \d of its \d uses/,
  );
  await expect(inspector).toContainText("returned, not added to .grad");
});

test("⇧ e opens a giant as far as it can be taken in, and says so", async ({ page }) => {
  test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
  await open(page, recorded("run=gpt"));
  await press(page, "Shift+E");
  await expect(page.getByText(/^Opened [\d,]+ boxes, not all/)).toBeVisible();
  expect(await rectOf(page, "n1")).not.toBeNull();
});
