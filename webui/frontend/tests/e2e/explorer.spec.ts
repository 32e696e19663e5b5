import { expect, test } from "@playwright/test";
import { clickItem, event, idle, open, picture, press, rectOf } from "./page";

test.use({ reducedMotion: "reduce" });

test("an empty server says how to start a run", async ({ page, context, baseURL }) => {
  await context.addCookies([{ name: "fixture", value: "empty", url: baseURL! }]);
  await open(page, "");
  await expect(page.getByRole("heading", { name: "No runs yet" })).toBeVisible();
  for (const way of ["minigrad demo digits", "minigrad run script.py", "mg.watch()"]) {
    await expect(page.getByText(way)).toBeVisible();
  }
});

test("the list of runs says how each one stands, and opens it", async ({ page }) => {
  await open(page, "");
  await expect(page.getByText("Failed", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("Lost", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "scalar.py", exact: true }).click();
  await idle(page);
  await expect(page).toHaveURL(/#run=scalar/);
  await expect(page.getByRole("heading", { name: "scalar.py", exact: true }).first()).toBeVisible();
});

test("stepping back and forth gives the same picture, and backward moves nothing", async ({ page }) => {
  await open(page, "#run=scalar");
  await press(page, "Home");
  const pictures: number[] = [];
  const places = await rectOf(page, "n2");
  for (let i = 0; i < 12; i++) {
    await press(page, "ArrowRight");
    pictures.push(await picture(page));
    expect(await rectOf(page, "n2")).toEqual(places);
  }
  expect(await event(page)).toBe("Event 12 of 37");
  for (let i = 11; i > 0; i--) {
    await press(page, "ArrowLeft");
    expect(await picture(page)).toBe(pictures[i - 1]);
  }
  expect(new Set(pictures).size).toBeGreaterThan(8);
});

test("accumulation shows every contribution, then old plus new", async ({ page }) => {
  await open(page, "#run=scalar&sel=t1");
  const tables = page.getByRole("table", { name: "Contributions" });
  await expect(tables).toHaveCount(2);
  await expect(tables.first().getByRole("row")).toHaveCount(4);
  await expect(tables.first()).toContainText("0.5966");
  await expect(tables.last()).toContainText("already there");
  await expect(tables.last()).toContainText("2.386");
});

test("a single number has its sign in the list of leaves, and more numbers have their norm", async ({ page }) => {
  await open(page, "#run=xor");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await expect(row("2.bias")).toContainText("−0.269");
  await expect(row("2.weight")).toContainText("‖1.70‖");
});

test("the formula holds the numbers of the element that is chosen in every matrix", async ({ page }) => {
  await open(page, "#run=xor&step=20&sel=n3");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const matrix = inspector.getByRole("application").first();
  await matrix.focus();
  await press(page, "ArrowDown");
  await press(page, "ArrowRight", 2);
  await expect(inspector.getByText("with the numbers of element [1, 2]")).toBeVisible();
  await expect(inspector.locator(".cells .chosen")).toHaveCount(3);
  const chosen = await inspector.locator(".cells .chosen").first().innerText();
  await expect(inspector.locator(".numbers .k-value").first()).toContainText(
    Number(chosen.replace("−", "-")).toFixed(2).replace("-", ""),
  );
  await expect(page).toHaveURL(/el=1,2/);
});

test("line and op select each other", async ({ page }) => {
  await open(page, "#run=xor&step=3");
  await page.getByRole("button", { name: "Line 10: select its ops" }).click();
  await idle(page);
  await expect(page.getByRole("heading", { name: "Sub" })).toBeVisible();
  await clickItem(page, "n3");
  await expect(page.locator('[data-line="9"]')).toHaveAttribute("aria-current", "true");
});

test("the address gives the whole view back", async ({ page }) => {
  await open(page, "#run=xor&step=7&sel=n4&el=1,0&theme=dark");
  await press(page, "ArrowLeft", 20);
  const at = await event(page);
  const seen: string[] = [];
  await expect.poll(() => seen.push(page.url()) > 1 && seen.at(-1) === seen.at(-2), { intervals: [400] }).toBe(true);
  const url = page.url();
  expect(url).toContain("at=");
  await page.goto("about:blank");
  await page.goto(url);
  await idle(page);
  expect(await event(page)).toBe(at);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator(".cells .chosen").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "MatMul" })).toBeVisible();
});

test("a giant opens folded, opens a module under the pointer and folds it back to where it was", async ({ page }) => {
  await open(page, "#run=transformer&open=model/blocks.0*");
  const before = await rectOf(page, "m/model/blocks.2");
  await clickItem(page, "m/model/blocks.1");
  await press(page, "e");
  expect(await rectOf(page, "m/model/blocks.1/mlp")).not.toBeNull();
  await press(page, "e");
  expect(await rectOf(page, "m/model/blocks.2")).toEqual(before);
});

test("the first and the last event of a giant are a key away", async ({ page }) => {
  await open(page, "#run=transformer");
  const position = page.getByRole("slider", { name: "Event" });
  await press(page, "Home");
  await expect(position).toHaveAttribute("aria-valuenow", "0");
  await press(page, "End");
  await expect(position).toHaveAttribute("aria-valuenow", (await position.getAttribute("aria-valuemax"))!);
});

test("panning over nearly a thousand open ops paints a frame for each movement", async ({ page }) => {
  await open(page, "#run=transformer");
  await press(page, "Shift+E");
  await press(page, "f");
  const opened = await page.evaluate(
    () => Array.from({ length: 3000 }, (_, i) => `n${i + 1}`).filter(window.minigradExplorer!.rectOf).length,
  );
  expect(opened).toBeGreaterThan(900);
  const frames = await page.evaluate(async () => {
    const pane = document.querySelector(".pane")!;
    const from = window.minigradExplorer!.frameMs().length;
    for (let i = 0; i < 60; i++) {
      pane.dispatchEvent(
        new WheelEvent("wheel", { deltaX: 6, deltaY: i % 2 ? 8 : -4, bubbles: true, cancelable: true }),
      );
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return window.minigradExplorer!.frameMs().length - from;
  });
  expect(frames).toBeGreaterThan(30);
});

test("search finds by condition, marks and selects", async ({ page }) => {
  await open(page, "#run=xor&step=3");
  await press(page, "/");
  await page.keyboard.type("op:matmul");
  await idle(page);
  await expect(page.locator("#found [role=option]")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await idle(page);
  await expect(page.getByRole("heading", { name: "MatMul" })).toBeVisible();
  await expect(page).toHaveURL(/sel=n4/);
  await press(page, "Escape");
  await expect(page.getByLabel("Search ops")).toHaveValue("");
});

test("the text tree says all that the picture shows, and the keyboard walks it", async ({ page }) => {
  await open(page, "#run=xor&step=3&tree=1");
  const tree = page.getByRole("tree");
  await expect(tree.getByRole("treeitem")).toHaveCount(8 + 6 + 4);
  await tree.focus();
  await press(page, "ArrowDown", 2);
  await expect(tree.locator("[aria-selected=true]")).toHaveCount(1);
  await press(page, "Home");
  await press(page, "ArrowDown");
  await press(page, "ArrowLeft");
  await expect(tree.getByRole("treeitem")).toHaveCount(6);
});

test("training steps can be chosen, and a run under way is followed", async ({ page }) => {
  await open(page, "#run=xor");
  await press(page, "[");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("118");
  await page.getByRole("button", { name: "All steps" }).click();
  await expect(page.locator(".list .item").first()).toBeVisible();
  await page.goto("./#run=live");
  await expect(page.getByText("Live", { exact: false }).first()).toBeVisible();
  const step = page.getByRole("spinbutton", { name: "Step" });
  await expect(step).toHaveValue(/^([3-9]|\d\d+)$/); // it goes on while the test looks
  await page.keyboard.press("ArrowLeft");
  const held = await step.inputValue();
  const more = new RegExp(`of 0–(?!${held}$|${Number(held) + 1}$)\\d+$`);
  await expect(page.getByText(more).first()).toBeVisible();
  await expect(step).toHaveValue(held);
});

test("a failed run shows its error and the line", async ({ page }) => {
  await open(page, "#run=broken");
  await expect(page.getByText("The program failed at line 7.")).toBeVisible();
  await expect(page.locator('[data-line="7"]')).toContainText("failed here");
  await clickItem(page, "n1");
  await expect(page.getByText("1 NaN, 1 infinite").first()).toBeVisible();
});

test("play goes on by itself and stops at the end", async ({ page }) => {
  await open(page, "#run=scalar");
  await press(page, "Home");
  await page.getByLabel("Events a second").selectOption("500");
  await page.keyboard.press("Space");
  await expect(page.locator("footer .now b")).toHaveText("Event 37 of 37");
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
});

test("the theme is remembered", async ({ page }) => {
  await open(page, "#run=scalar");
  await press(page, "d");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.goto("about:blank");
  await open(page, "");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});
