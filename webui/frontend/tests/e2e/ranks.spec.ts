/** Two processes with a rank each, as a launcher starts them: one picture, a lane for each of them. */
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { LiveServer, until } from "./live";
import { event, idle, press, rectOf } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

/** Starts one process for each of `ranks`, one after another, and gives the address of the last one's run. */
async function launched(server: LiveServer, ranks: readonly string[]): Promise<string> {
  await server.start();
  let address = "";
  for (const rank of ranks) address = await started(server, rank, ranks.length);
  return address;
}

async function started(server: LiveServer, rank: string, size: number, rest: string[] = []): Promise<string> {
  const program = server.program(["fixtures/ranked.py", ...rest], { RANK: rank, WORLD_SIZE: String(size) });
  const [run] = await Promise.all([until(program, /#run=\S+/), until(program, /done/)]);
  return `${server.address}${run}`;
}

test("two ranks are two lanes of one run, and its events are those of both", async ({ page }) => {
  const server = new LiveServer();
  await page.goto(`${await launched(server, ["0", "1"])}&tree=1`);
  const tree = page.getByRole("tree");
  await expect(tree).toContainText("rank 0");
  await expect(tree).toContainText("rank 1");
  expect(await event(page)).toMatch(/Event (\d+) of \1/);
  await press(page, "Home"); // away from the all-reduce, which has a panel of its own
  await expect(page.getByText("Leaves with a gradient")).toBeVisible();
  await expect(page.locator("aside.right table tr, aside.right li").filter({ hasText: "w" }).first()).toBeVisible();
  server.stop();
});

test("a rank that is behind comes into the picture, though this one sends nothing more", async ({ page }) => {
  const server = new LiveServer();
  await server.start();
  await page.goto(`${await started(server, "0", 2)}&tree=1`);
  await idle(page);
  const tree = page.getByRole("tree");
  await expect(tree).not.toContainText("rank 1");
  await started(server, "1", 2);
  await expect(tree).toContainText("rank 1");
  await idle(page);
  await expect(page.getByRole("complementary", { name: "Inspector" })).toContainText("2 of 2 ranks have taken part");
  server.stop();
});

test("a page that is here before its run has told of the launch draws the lanes all the same", async ({ page }) => {
  const server = new LiveServer();
  const address = await launched(server, ["0", "1"]);
  await page.routeWebSocket(/live/, (window) => {
    window.connectToServer().onMessage((message) => {
      const told = JSON.parse(String(message)) as { type: string; run: { launch: string | null } };
      if (told.type !== "snapshot") return window.send(message);
      window.send(JSON.stringify({ ...told, run: { ...told.run, launch: null } }));
      window.send(JSON.stringify({ type: "steps", run: told.run, steps: [] }));
    });
  });
  await page.goto(`${address}&tree=1`);
  await expect(page.getByRole("tree")).toContainText("rank 0");
  await expect(page.getByRole("tree")).toContainText("rank 1");
  server.stop();
});

test("what is chosen stays the same op of the same rank: when another rank comes, at another step, by its link", async ({
  page,
}) => {
  const server = new LiveServer();
  await server.start();
  const tree = page.getByRole("tree");
  const chosen = tree.locator("[aria-selected=true]");
  await page.goto(`${await started(server, "1", 2, ["2"])}&tree=1&sel=n1r1&step=0`);
  await idle(page);
  await expect(tree).toContainText("rank 1");
  await expect(chosen).toContainText("‖5.66‖"); // of 2 · 2 twice; rank 0 has 1 · 1 and 2 · 2
  await started(server, "0", 2, ["2"]);
  await expect(tree).toContainText("rank 0");
  await idle(page);
  await expect(chosen).toContainText("‖5.66‖");
  await expect(page).toHaveURL(/step=0/);
  await page.goto(page.url().replace("step=0", "step=1"));
  await page.reload();
  await idle(page);
  await expect(page).toHaveURL(/sel=n1r1/);
  await expect(chosen).toHaveAttribute("id", "tree-n1r1");
  expect((await rectOf(page, "n1r1"))!.x).toBeGreaterThan((await rectOf(page, "n1r0"))!.x);
  server.stop();
});

test("a rank that is held stands still at its own op, though another has one of that number", async ({ page }) => {
  const server = new LiveServer();
  await server.start();
  await started(server, "0", 2);
  const settings = { RANK: "1", WORLD_SIZE: "2", MINIGRAD_PAUSE_GRACE: "2" };
  const held = server.program(["fixtures/paused.py", "op=Tanh,backward"], settings);
  const run = await until(held, /#run=\S+/);
  await page.goto(`${server.address}${run}&tree=1`);
  const tree = page.getByRole("tree");
  await expect(tree).toContainText("rank 0");
  const bar = page.getByRole("region", { name: "The program is paused" });
  await expect(bar).toContainText("Paused before Tanh");
  await expect(tree.locator("[aria-selected=true]")).toContainText("Tanh");
  await expect(page).toHaveURL(/sel=n\dr1/);

  await tree.locator("[id^=tree-n]").filter({ hasText: "Affine 4×4" }).click();
  await page.getByRole("button", { name: "Run to here" }).click();
  await expect(bar).toContainText("Paused before Affine");
  server.stop();
});

test("lanes stand in the order of rank, and the all-reduce between them says what was reduced", async ({ page }) => {
  const server = new LiveServer();
  await page.goto(`${await launched(server, ["2", "1", "0"])}&tree=1`);
  const tree = page.getByRole("tree");
  await expect(tree).toContainText(/rank 0.*rank 1.*rank 2.*all-reduce of w.grad, 8 B: mean over 3 ranks/);
  await idle(page);
  const [zero, one, two, bar] = await Promise.all(
    ["m/rank 0", "m/rank 1", "m/rank 2", "c1"].map(async (key) => (await rectOf(page, key))!),
  );
  expect([zero!.x + zero!.w < one!.x, one!.x + one!.w < two!.x]).toEqual([true, true]);
  expect(bar!.y).toBeGreaterThan(Math.max(...[zero, one, two].map((lane) => lane!.y + lane!.h)));
  expect([bar!.x <= zero!.x, bar!.x + bar!.w > two!.x + two!.w]).toEqual([true, true]);

  await tree.getByText("all-reduce").click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("3 of 3 ranks have taken part");
  const rows = inspector.getByRole("table", { name: "w.grad, before and after" }).locator("tbody tr");
  await expect(rows).toHaveText([/0.*w.*2.*4/, /1.*w.*4.*4/, /2.*w.*6.*4/]);
  await page.getByRole("button", { name: "To the start" }).click();
  await expect(inspector).toContainText("0 of 3 ranks have taken part");
  await expect(rows.first()).toContainText("not yet");
  await expect(tree).toContainText(/mean over 3 ranks\s*not yet/);

  await page.locator("[popovertarget=share-menu]").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Picture, SVG" }).click(),
  ]);
  expect(readFileSync(await download.path(), "utf8")).toContain("all-reduce");
  server.stop();
});

test("the offline page of a launch has all its lanes, and says that its programs were still running", async ({
  page,
  context,
}, info) => {
  const server = new LiveServer();
  await page.goto(await launched(server, ["0", "1"]));
  await idle(page);
  await page.locator("[popovertarget=share-menu]").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Offline page, HTML" }).click(),
  ]);
  const file = info.outputPath("page.html");
  await download.saveAs(file);
  server.stop();

  const offline = await context.newPage();
  await offline.goto(`file://${file}#tree=1&sel=c1`);
  await idle(offline);
  await expect(offline.getByRole("tree")).toContainText(/rank 0.*rank 1.*all-reduce of w.grad, 8 B: mean over 2 ranks/);
  await expect(offline.getByText("2 of 2 ranks have taken part")).toBeVisible();
  await expect(offline.getByText("This file was written while the program was still running.")).toBeVisible();
  await expect(offline.getByRole("button", { name: "Pause", exact: true })).toHaveCount(0);
});
