/** The list of runs on the real server: what is needed no more can be deleted from it. */
import { readFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { LiveServer } from "./live";
import { idle } from "./page";
import { hasServer, PYTHON } from "./python";

let server: LiveServer;

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.use({ reducedMotion: "reduce" });

/** Imports a trace as a run of this name, which is its id too. */
async function add(name: string, day: number): Promise<void> {
  const { origin, searchParams } = new URL(server.address);
  const [first, ...rest] = readFileSync("fixtures/traces/expression.jsonl", "utf8").split("\n");
  const named = { ...JSON.parse(first!), id: name, name: `${name}.py`, started: `2026-01-0${day}T12:00:00Z` };
  const response = await fetch(`${origin}/api/runs/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${searchParams.get("token")}` },
    body: [JSON.stringify(named), ...rest].join("\n"),
  });
  expect(response.ok).toBe(true);
}

const row = (page: Page, name: string): Locator => page.getByRole("row", { name: new RegExp(`${name}\\.py`) });
const control = (page: Page, name: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^Delete ${name}\\.py, started 0?\\d\\sJan`) });
const names = (page: Page): Promise<string[]> => page.locator("main .open").allInnerTexts();

test.beforeEach(async ({ page }) => {
  server = new LiveServer();
  await server.start();
  await Promise.all(["oldest", "middle", "newest"].map((name, index) => add(name, index + 1)));
  await page.goto(server.address);
  await expect(row(page, "newest")).toBeVisible();
});

test.afterEach(() => server.stop());

test("with the keyboard: a run is deleted after a word about what is lost, and its row goes", async ({ page }) => {
  await control(page, "middle").focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Delete middle.py?" });
  await expect(dialog).toContainText(/^Delete middle\.py\?\s*\d+ records, 1 step, [\d.]+ KiB: all that was recorded/);
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  expect(await names(page)).toEqual(["newest.py", "oldest.py"]);
  await expect(page.getByRole("status").filter({ hasText: "middle.py is deleted." })).toHaveCount(1);
  await expect(page.getByRole("button", { name: "oldest.py", exact: true })).toBeFocused();
  await expect(page).not.toHaveURL(/run=/);
  await page.reload();
  await expect(row(page, "newest")).toBeVisible();
  expect(await names(page)).toEqual(["newest.py", "oldest.py"]);
});

test("who changes their mind keeps the run, and is where they were", async ({ page }) => {
  for (const leave of ["Escape", "Enter"]) {
    await control(page, "middle").click();
    await page.keyboard.press(leave);
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(control(page, "middle")).toBeFocused();
  }
  expect(await names(page)).toEqual(["newest.py", "middle.py", "oldest.py"]);
});

test("an answer that was on its way does not bring the row back", async ({ page }) => {
  let [asked, release] = [0, (): void => undefined];
  const held = new Promise<void>((go) => (release = go));
  await page.route("**/api/runs", async (route) => {
    asked += 1;
    const response = await route.fetch();
    if (asked === 1) await held;
    await route.fulfill({ response });
  });
  await expect.poll(() => asked).toBe(1);
  await control(page, "middle").click();
  await page.getByRole("button", { name: "Delete the run" }).click();
  await expect(row(page, "middle")).toHaveCount(0);
  await page.evaluate(() => {
    const look = (): void => {
      const shown = [...document.querySelectorAll("main .open")].map((each) => each.textContent);
      if (shown.includes("middle.py")) document.body.dataset.back = "true";
    };
    new MutationObserver(look).observe(document.querySelector("main")!, { childList: true, subtree: true });
  });
  const before = asked;
  release();
  await expect.poll(() => asked).toBeGreaterThan(before + 1);
  await idle(page);
  await expect(page.locator("body")).not.toHaveAttribute("data-back");
  expect(await names(page)).toEqual(["newest.py", "oldest.py"]);
});

test("a run that is live cannot be deleted, and says why where that is found out late", async ({ page }) => {
  await page.route("**/api/runs/oldest", (route) =>
    route.fulfill({ status: 409, json: { code: "run_is_live", message: "Run 'oldest' is being written." } }),
  );
  await control(page, "oldest").click();
  await page.getByRole("button", { name: "Delete the run" }).click();
  await expect(page.getByRole("alert")).toHaveText("Not deleted. Run 'oldest' is being written.");
  await page.keyboard.press("Escape");
  expect(await names(page)).toContain("oldest.py");
  await server.watch("fixtures/paused.py");
  await expect(row(page, "paused")).toContainText("Live");
  await expect(row(page, "paused").getByRole("button")).toHaveCount(1);
  await expect(row(page, "oldest").getByRole("button")).toHaveCount(2);
});

test("a server that is gone is said, and one that has no such run any more is no trouble", async ({ page }) => {
  const { origin, searchParams } = new URL(server.address);
  await control(page, "oldest").click();
  await page.route("**/api/runs/oldest", (route) => route.abort());
  await page.getByRole("button", { name: "Delete the run" }).click();
  await expect(page.getByRole("alert")).toContainText("The server does not answer");
  await page.unroute("**/api/runs/oldest");
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  expect((await fetch(`${origin}/api/runs/oldest`, { method: "DELETE", headers })).status).toBe(204);
  await page.getByRole("button", { name: "Delete the run" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await names(page)).toEqual(["newest.py", "middle.py"]);
});

test("axe finds nothing serious in the list and in what it asks", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expectClean(page);
  await control(page, "newest").click();
  await expectClean(page);
});
