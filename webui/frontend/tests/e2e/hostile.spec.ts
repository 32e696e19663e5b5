/** A trace that says everything twice, which the page shows all the same; and what the page says where it fails. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@playwright/test";
import { LiveServer } from "./live";
import { idle, open } from "./page";
import { env, hasServer, PYTHON } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const NET = `
import json, sys
import minigrad as mg
from minigrad.observe import Recorder

records = []
with Recorder(records.append, name="twice", values="all"):
    net = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.Tanh(), mg.nn.Linear(3, 1))
    optimizer = mg.optim.Adam(net.parameters())
    for _ in range(2):
        (net(mg.ones(4, 2)) ** 2).mean().backward()
        optimizer.step()

def twice(value):
    if isinstance(value, dict):
        return {name: each if name == "shape" else twice(each) for name, each in value.items()}
    return [copy for each in value for copy in (twice(each),) * 2] if isinstance(value, list) else value

lines = [records[0], *(copy for each in records[1:-1] for copy in (twice(each),) * 2), records[-1]]
print("\\n".join(json.dumps({**each, "seq": seq}) for seq, each in enumerate(lines, 1)))
`;

let server: LiveServer;
test.beforeAll(async () => {
  server = new LiveServer();
  await server.start();
});
test.afterAll(() => server.stop());

test("what a trace says twice is shown, item by item, without an error", async ({ page, request }) => {
  const trace = String(execFileSync(PYTHON, ["-c", NET], { env, maxBuffer: 1 << 26 }));
  const address = new URL(server.address);
  const answer = await request.post(`${address.origin}/api/runs/import`, {
    headers: { Authorization: "Bearer live" },
    data: trace,
  });
  expect(answer.status()).toBe(201);
  const { run } = (await answer.json()) as { run: { id: string } };

  const keys = ["n1", "n2", "n3", "n4", "n5", "t1", "t2", "t3", "t4", "t5"]; // all ops of a step, and all leaves

  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await open(page, `${server.address}#run=${run.id}&step=1`);
  for (const key of keys) {
    await page.evaluate((hash) => (location.hash = hash), `#run=${run.id}&step=1&sel=${key}`);
    await idle(page);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await expect(inspector).toContainText(key.startsWith("n") ? "Inputs and users" : "Used by");
    expect(errors, key).toEqual([]);
  }
  for (const view of ["curves=norms", "tree=1"]) {
    await page.evaluate((hash) => (location.hash = hash), `#run=${run.id}&step=1&${view}`);
    await idle(page);
    expect(errors, view).toEqual([]);
  }
});

test("an error in the page's own code is told, since what is shown may stand still", async ({ page }) => {
  await page.goto(server.address);
  await idle(page);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error("no such box: n7");
    });
  });
  const fault = page.getByRole("alert");
  await expect(fault).toContainText("what it shows may be out of date");
  await expect(fault).toContainText("no such box: n7");
  await fault.getByRole("button", { name: "Close" }).click();
  await expect(fault).toHaveCount(0);
  await page.evaluate(() => void Promise.reject(new Error("no such step")));
  await expect(fault).toContainText("no such step");
  await fault.getByRole("button", { name: "Reload the page" }).click();
  await expect(fault).toHaveCount(0);
});
