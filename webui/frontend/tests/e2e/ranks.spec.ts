/** Two processes with a rank each, as a launcher starts them: one picture, a lane for each of them. */
import { expect, test } from "@playwright/test";
import { LiveServer, until } from "./live";
import { event } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("two ranks are two lanes of one run, and its events are those of both", async ({ page }) => {
  const server = new LiveServer();
  await server.start();
  const addresses: string[] = [];
  for (const rank of ["0", "1"]) {
    const program = server.program(["fixtures/ranked.py"], { RANK: rank, WORLD_SIZE: "2" });
    const [run] = await Promise.all([until(program, /#run=\S+/), until(program, /done/)]);
    addresses.push(run);
  }
  await page.goto(`${server.address}${addresses[1]}&tree=1`);
  const tree = page.getByRole("tree");
  await expect(tree).toContainText("rank 0", { timeout: 15_000 });
  await expect(tree).toContainText("rank 1");
  await expect(page.getByText("Leaves with a gradient")).toBeVisible();
  await expect(page.locator("aside.right table tr, aside.right li").filter({ hasText: "w" }).first()).toBeVisible();
  expect(await event(page)).toMatch(/Event (\d+) of \1/);
  server.stop();
});
