/** The same page on the real server, behind its token, with records of the real core. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { idle, press, rectOf } from "./page";
import { env, hasServer, PYTHON } from "./python";

let folder = "";
let server: ChildProcess | null = null;
let address = "";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);

/** Starts a server on a free port with a store of its own, and reads its address from what it prints. */
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "explorer-"));
  const options = ["-m", "minigrad_webui.server", "--port", "0", "--store", join(folder, "runs.sqlite")];
  server = spawn(PYTHON, options, { env: { ...env, MINIGRAD_DATA_DIR: folder } });
  address = await new Promise<string>((found, failed) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += String(chunk);
      const match = /http:\S+token=\S+/.exec(text);
      if (match) found(match[0]);
    };
    server!.stdout!.on("data", read);
    server!.stderr!.on("data", read);
    server!.on("exit", () => failed(new Error(`The server ended:\n${text}`)));
  });
  const { origin, searchParams } = new URL(address);
  for (const name of ["expression", "learning"]) {
    const response = await fetch(`${origin}/api/runs/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${searchParams.get("token")}` },
      body: readFileSync(`fixtures/traces/${name}.jsonl`),
    });
    expect(response.ok).toBe(true);
  }
});

test.afterAll(() => {
  server?.removeAllListeners("exit");
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test("the token opens the explorer, and a run can be stepped through", async ({ page }) => {
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(address);
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
  await page.goto(address);
  await page.getByRole("button", { name: "learning.py" }).click();
  await idle(page);
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("5");
  await press(page, "[");
  await expect(page.getByRole("spinbutton", { name: "Step" })).toHaveValue("4");
  await expect(page.getByText("Leaves with a gradient")).toBeVisible();
});
