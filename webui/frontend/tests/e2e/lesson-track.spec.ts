/** The fast track, taken in the browser by a learner: reads, runs, fails a check, takes a hint, passes, goes on. */
import { expect, type Page, test } from "@playwright/test";
import { tellCourse, type Told } from "./course";
import { cell, check, openLesson, ready, run, runAll, statuses, write } from "./lesson";
import { LiveServer } from "./live";
import { hasServer, PYTHON } from "./python";
import { idle } from "./page";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial" });
test.use({ reducedMotion: "reduce" });

/** A lesson that computes for longer is not run as a whole here; its own tests do that. */
const QUICK = 30;

const track: Told[] = hasServer() ? tellCourse().filter((told) => told.fast) : [];
const server = new LiveServer();
let page: Page;
const problems: string[] = [];

test.beforeAll(async ({ browser }) => {
  await server.start();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
});
test.afterAll(async () => {
  await page.close();
  await server.leave();
  server.stop();
});

test("the list leads to the first lesson of the fast track", async () => {
  await page.goto(server.page("lessons"));
  await idle(page);
  await page.getByRole("button", { name: "Fast track" }).click();
  await expect(page.getByRole("listitem")).toHaveCount(track.length);
  await page.getByRole("link", { name: "Begin lesson 1" }).click();
  await ready(page);
  await expect(page).toHaveURL(new RegExp(`/lesson/${track[0]!.slug}$`));
});

for (const [at, told] of track.entries()) {
  test(`a learner takes ${told.slug}`, async () => {
    test.setTimeout(300_000);
    const exercises = Object.entries(told.solutions);
    const [first, solution] = exercises[0]!;
    await expect(page.getByRole("heading", { level: 1, name: told.title })).toBeVisible();

    // Blank, the exercise does not pass; a hint comes, and stays.
    await check(page, first);
    await expect(cell(page, first).getByText("Not yet.")).toBeVisible();
    await expect(cell(page, first).getByText("Compare with a solution")).toHaveCount(0);
    await cell(page, first).getByRole("button", { name: "Show a hint" }).click();
    await idle(page);
    await expect(cell(page, first).getByText("Hint 1")).toBeVisible();

    // Solved, it passes, and now there is a solution to compare with.
    await write(page, first, solution);
    await check(page, first);
    await expect(cell(page, first).locator("header").getByText("Passed")).toBeVisible();
    await expect(cell(page, first).getByText("Compare with a solution")).toBeVisible();

    // With every exercise written the whole lesson runs, and the graph is there. Of one that trains, what leads here.
    for (const [key, code] of exercises.slice(1)) await write(page, key, code);
    const quick = told.seconds <= QUICK;
    await (quick ? runAll(page) : run(page, first));
    expect(new Set(await statuses(page))).toEqual(new Set(["ok"]));
    if (quick) await expect(page.locator("footer .now b")).toHaveText(/Event [\d,]+ of [\d,]+/);

    const next = track[at + 1];
    if (!next) return;
    await page.locator("article footer").getByRole("link", { name: next.title }).click();
    await ready(page);
  });
}

test("what was done is there again after the server was started anew", async () => {
  await page.goto("about:blank"); // a page that stays open asks for its server in vain meanwhile
  await server.leave();
  await server.start();
  await page.goto(server.page("lessons"));
  await idle(page);
  for (const told of track) {
    const row = page.getByRole("link", { name: told.title });
    await expect(row.getByRole("img", { name: /^1 of \d exercises? passed$/ })).toBeVisible();
  }
  const [first, solution] = Object.entries(track[0]!.solutions)[0]!;
  await openLesson(page, server.page(`lesson/${track[0]!.slug}`));
  await expect(cell(page, first).locator(".cm-content").first().locator(".cm-line").last()).toHaveText(
    solution.trimEnd().split("\n").at(-1)!,
  );
  await expect(cell(page, first).getByText("Hint 1")).toBeVisible();
  expect(problems.filter((text) => !text.includes("WebSocket"))).toEqual([]);
});
