/** Feature 20, on a GPT of 12 layers with three backwards and on an LSTM of 50 steps. */
import { expect, test } from "@playwright/test";
import { idle, inSight, open, press, rectOf } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const BLOCKS = "m/model/blocks.0*";

test("a GPT of 13,000 nodes opens as fewer than 100 boxes, its twelve blocks as one", async ({ page }) => {
  await open(page, recorded("run=gpt&tree=1"));
  const rows = page.getByRole("tree").getByRole("treeitem");
  expect(await rows.count()).toBeLessThan(100);
  await expect(rows.filter({ hasText: "Block ×12" })).toHaveCount(3);
});

test("a stack opens and folds back to where everything was", async ({ page }) => {
  await open(page, recorded(`run=gpt&sel=${BLOCKS}`));
  const keys = [BLOCKS, "m/model/last", "n2237", "m/model (2)/blocks.0*"];
  /** To a millionth of a pixel: the camera's own arithmetic is not finer. */
  const places = async (): Promise<(number[] | null)[]> =>
    Promise.all(
      keys.map(async (key) => {
        const rect = await rectOf(page, key);
        return rect && [rect.x, rect.y, rect.w, rect.h].map((v) => Math.round(v * 1e6) / 1e6);
      }),
    );
  const before = await places();
  expect(before.every(Boolean)).toBe(true);
  for (let i = 0; i < 3; i++) {
    await press(page, "e");
    expect(await rectOf(page, "m/model/blocks.11")).not.toBeNull();
    await press(page, "e");
    expect(await places()).toEqual(before);
  }
});

test("the text tree opens a stack and what is in it by the keyboard", async ({ page }) => {
  await open(page, recorded(`run=gpt&tree=1&sel=${BLOCKS}`));
  const tree = page.getByRole("tree");
  await tree.focus();
  await press(page, "ArrowRight");
  await expect(tree.getByRole("treeitem", { name: /^blocks\.3 Block, 185 ops/ })).toBeVisible();
  await press(page, "ArrowDown");
  await press(page, "ArrowRight");
  await expect(tree.getByRole("treeitem", { name: /attention Attention/ }).first()).toBeVisible();
});

test("fifty steps of an LSTM are one box; a single one of them can be opened", async ({ page }) => {
  await open(page, recorded("run=sequence&tree=1"));
  const tree = page.getByRole("tree");
  await tree.getByRole("treeitem", { name: /Loop ×50/ }).click();
  await press(page, "e");
  await expect(tree.getByRole("treeitem", { name: /^pass \d+, 13 ops/ })).toHaveCount(50);
  await tree.getByRole("treeitem", { name: /^pass 7,/ }).click();
  await press(page, "e");
  await expect(tree.getByRole("treeitem", { name: /^Sigmoid/ })).toHaveCount(3);
  await expect(page).toHaveURL(/open=net\/lstm\/@2\*/);
});

test("the program's functions are boxes, and a long one its lines, which open into their ops", async ({ page }) => {
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const view = (key: string): string => recorded(`run=functions&sel=${encodeURIComponent(key)}`);
  await open(page, view("m/spline()"));
  await expect(inspector).toContainText("function");
  await expect(inspector).toContainText("spline() has 75 ops: 75 ran forward");
  for (const key of ["m/net()/block()*", "m/net()/norm()", "m/spline()/line 39", "m/spline()/line 50"])
    expect(await rectOf(page, key), key).not.toBeNull();
  await open(page, view("m/spline()/line 39"));
  await expect(inspector).toContainText("line 39 (index) has 4 ops");
  await expect(page.locator(".mine").first()).toContainText("index = (x[..., None]");
  const ops = (): Promise<number> =>
    page.evaluate(() => {
      const keys = Array.from({ length: 200 }, (_, i) => `n${i + 1}`);
      return keys.filter((key) => window.minigradExplorer!.rectOf(key)).length;
    });
  const before = await ops();
  await press(page, "e");
  expect(await ops()).toBe(before + 4);
});

test("a search says in which module each op is; Enter opens the folds around it, and goes there", async ({ page }) => {
  await open(page, recorded("run=gpt"));
  await press(page, "/");
  await page.keyboard.type("op:erf module:blocks.7");
  const found = page.locator("#found [role=option]");
  await expect(found.first()).toContainText("model.blocks.7");
  await press(page, "Enter");
  await expect(page).toHaveURL(/sel=n\d+/);
  await idle(page);
  const key = /sel=(n\d+)/.exec(page.url())![1]!;
  expect(await inSight(page, key)).toBe(true);
  expect((await rectOf(page, key))!.x).toBeGreaterThan(0);
});

test("a mouse that rests on a box is told what it is, and no longer when it moves on", async ({ page }) => {
  const line = recorded("run=functions&sel=m/spline()/line%2039");
  await open(page, line);
  const hint = page.locator(".hint-of-box");
  const rest = async (key: string): Promise<void> => {
    const [rect, pane] = [(await rectOf(page, key))!, (await page.locator(".pane").boundingBox())!];
    await page.mouse.move(pane.x + rect.x + rect.w / 2, pane.y + rect.y + 12);
  };
  await rest("m/spline()/line 39");
  await expect(hint).toContainText("line 39 (index) has 4 ops: 4 ran forward, 0 ran backward.");
  await press(page, "Escape");
  await expect(hint).toHaveCount(0);
  await page.goto("about:blank");
  await open(page, line);
  await press(page, "e");
  const inside = await page.evaluate(() => {
    const { rectOf } = window.minigradExplorer!;
    const { y, h } = rectOf("m/spline()/line 39")!;
    return Array.from({ length: 200 }, (_, i) => `n${i + 1}`).find((key) => {
      const rect = rectOf(key);
      return rect && rect.y > y && rect.y + rect.h < y + h;
    });
  });
  await rest(inside!);
  await expect(hint).toContainText(/^spline\(\) · line 39/);
  await page.mouse.move(5, 5);
  await expect(hint).toHaveCount(0);
});
