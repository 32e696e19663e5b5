/** The same page on the real server, behind its token, with records of the real core. */
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { LiveServer } from "./live";
import { idle, press, rectOf } from "./page";
import { hasServer, PYTHON } from "./python";

const server = new LiveServer();

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);

/** The same run, had somebody pressed Ctrl-C at its end. */
function interrupted(trace: string): string {
  const lines = trace.trimEnd().split("\n");
  const first = { ...JSON.parse(lines[0]!), id: "stopped", name: "stopped.py" };
  const last = { ...JSON.parse(lines.at(-1)!), status: "interrupted", error: "KeyboardInterrupt" };
  return [JSON.stringify(first), ...lines.slice(1, -1), JSON.stringify(last)].join("\n");
}

test.beforeAll(async () => {
  await server.start();
  const { origin, searchParams } = new URL(server.address);
  const traces = ["expression", "learning"].map((name) => readFileSync(`fixtures/traces/${name}.jsonl`, "utf8"));
  for (const body of [...traces, interrupted(traces[0]!)]) {
    const response = await fetch(`${origin}/api/runs/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${searchParams.get("token")}` },
      body,
    });
    expect(response.ok).toBe(true);
  }
});

test.afterAll(() => server.stop());

test("the token opens the explorer, and a run can be stepped through", async ({ page }) => {
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.address);
  await page.getByRole("button", { name: "expression.py", exact: true }).click();
  await idle(page);
  expect(page.url()).not.toContain("token");
  expect(await rectOf(page, "n3")).not.toBeNull();
  await press(page, "Home");
  await press(page, "ArrowRight", 3);
  await expect(page.getByRole("heading", { name: /Mul|Add|Tanh/ })).toBeVisible();
  expect(problems).toEqual([]);
});

test("a training run opens at its last step, and any other can be chosen", async ({ page }) => {
  await page.goto(server.address);
  await page.getByRole("button", { name: "learning.py", exact: true }).click();
  await idle(page);
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("5");
  await press(page, "[");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("4");
  await expect(page.getByText("Leaves with a gradient")).toBeVisible();
});

test("a program that was stopped with Ctrl-C is not said to have failed", async ({ page }) => {
  await page.goto(server.address);
  await page.getByRole("button", { name: "stopped.py", exact: true }).click();
  await idle(page);
  await expect(page.getByText("The program was stopped")).toContainText("Ctrl-C");
  await expect(page.getByText("failed")).toHaveCount(0);
});

test("a program that has not computed yet is told of as that, and then its first ops come", async ({ page }) => {
  const lines = ["import minigrad as mg", "mg.watch(browser=False)", "input()", "x = mg.ones(3, requires_grad=True)"];
  const { program, run } = await server.watch("-c", [...lines, "(x * x).sum().backward()", "input()"].join("\n"));
  await page.goto(run);
  const facts = page.getByRole("complementary", { name: "Inspector" }).locator(".facts");
  await expect(facts).toHaveText("nothing was recorded yet");
  await expect(page.getByText("how much memory was in use")).toHaveCount(0);
  program.stdin!.write("\n");
  await expect(facts).toContainText("2 ops, 1 leaf, 1 backward");
});

test("a page whose key is an old one says where the new one is", async ({ page }) => {
  await page.goto(server.address);
  await page.getByRole("button", { name: "expression.py", exact: true }).click();
  await idle(page);
  await page.context().clearCookies();
  await server.leave();
  await server.start();
  await expect(page.getByRole("alert")).toContainText("has a new key");
});

test("a run that is not there says so in the middle, with a way to those that are", async ({ page }) => {
  await page.goto(`${server.address}#run=nothere`);
  await idle(page);
  const said = page.getByRole("alert").filter({ hasText: "There is no run 'nothere'" });
  await expect(said).toBeVisible();
  await said.getByRole("button", { name: "All runs" }).click();
  await expect(page.getByRole("button", { name: "expression.py", exact: true })).toBeVisible();
});
