/** The same page on the real server, behind its token, with records of the real core. */
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { LiveServer } from "./live";
import { idle, press, rectOf } from "./page";
import { hasServer, PYTHON } from "./python";

const server = new LiveServer();

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);

test.beforeAll(async () => {
  await server.start();
  const { origin, searchParams } = new URL(server.address);
  for (const name of ["expression", "learning"]) {
    const response = await fetch(`${origin}/api/runs/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${searchParams.get("token")}` },
      body: readFileSync(`fixtures/traces/${name}.jsonl`),
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
  await page.getByRole("button", { name: "expression.py" }).click();
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
  await page.getByRole("button", { name: "learning.py" }).click();
  await idle(page);
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("5");
  await press(page, "[");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("4");
  await expect(page.getByText("Leaves with a gradient")).toBeVisible();
});
