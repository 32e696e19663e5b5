/**
 * A class on a real JupyterHub: two users, each with the explorer and the lessons behind the hub's proxy.
 *
 * `make jupyterhub` installs the hub and runs this. All users are this machine's one: the hub's authenticator asks for a
 * name and one password, and its spawner starts processes here. That is for trying, not for a class.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { cell, keys, ready, run } from "../e2e/lesson";
import { listen, until } from "../e2e/live";
import { env, PYTHON, ROOT } from "../e2e/python";

const NAMES = ["ada", "grace"] as const;
const PASSWORD = "a-class";
const folder = mkdtempSync(join(tmpdir(), "hub-"));
const times: string[] = [];
let hub: ChildProcess | null = null;
let address = "";

test.describe.configure({ mode: "serial" });
test.setTimeout(600_000);
test.use({ reducedMotion: "reduce" });

const freePort = (): Promise<number> =>
  new Promise((found) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => found(port));
    });
  });

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const found = await act();
  times.push(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return found;
}

test.beforeAll(async () => {
  const [port, inner, proxy] = await Promise.all([freePort(), freePort(), freePort()]);
  const config = join(folder, "jupyterhub_config.py");
  const path = [dirname(PYTHON), join(ROOT, ".venv/node_modules/.bin"), process.env.PATH].join(":");
  for (const name of NAMES) mkdirSync(join(folder, name));
  const lines = [
    `c.JupyterHub.bind_url = "http://127.0.0.1:${port}"`,
    `c.JupyterHub.hub_port = ${inner}`,
    `c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:${proxy}"`,
    `c.JupyterHub.authenticator_class = "dummy"`,
    `c.DummyAuthenticator.password = "${PASSWORD}"`,
    `c.Authenticator.allowed_users = ${JSON.stringify(NAMES)}`,
    `c.JupyterHub.spawner_class = "simple"`,
    `c.SimpleLocalProcessSpawner.home_dir_template = "${folder}/{username}"`,
    `c.Spawner.args = ["--allow-root"]`,
    `c.Spawner.start_timeout = c.Spawner.http_timeout = 240`,
    // Each has a store of its own, as users of a real hub have by their homes.
    `c.Spawner.environment = {"PYTHONPATH": "${env.PYTHONPATH}", "PATH": "${path}",`,
    `  "MINIGRAD_DATA_DIR": lambda spawner: f"${folder}/{spawner.user.name}/data"}`,
  ];
  writeFileSync(config, lines.join("\n") + "\n");
  hub = spawn(PYTHON, ["-m", "jupyterhub", "-f", config], {
    cwd: folder,
    env: { ...env, PATH: path },
  });
  listen(hub);
  address = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(`${address}/hub/login`).then(
      (answer) => answer.ok,
      () => false,
    );
  await timed("the hub answers", () =>
    Promise.race([expect.poll(answers, { timeout: 120_000 }).toBe(true), until(hub!, /^$a/)]),
  );
});

/** The hub ends its proxy and its users' servers itself. */
test.afterAll(async () => {
  if (hub?.exitCode === null) {
    const ended = new Promise((after) => hub!.once("exit", after));
    hub.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  console.log(times.join("\n"));
});

async function enter(context: BrowserContext, name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${address}/hub/login`);
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await timed(`${name}'s server is there`, () => page.waitForURL(`**/user/${name}/**`, { timeout: 300_000 }));
  return page;
}

test("two users learn beside each other, and neither comes to the other's pages", async ({ browser }) => {
  const contexts = await Promise.all(NAMES.map(() => browser.newContext({ reducedMotion: "reduce" })));
  const wrong: string[] = [];
  for (const [i, name] of NAMES.entries()) {
    const page = await enter(contexts[i]!, name);
    page.on("pageerror", (error) => wrong.push(String(error)));
    const own = `${address}/user/${name}/minigrad`;
    await timed(`${name}'s list of lessons`, async () => {
      await page.goto(`${own}/lessons`, { timeout: 180_000 });
      await expect(page.getByRole("link", { name: "Begin lesson 1" })).toBeVisible({ timeout: 120_000 });
    });
    await timed(`${name}'s first lesson can be run`, async () => {
      await page.getByRole("link", { name: "Begin lesson 1" }).click();
      await ready(page);
    });
    const [first] = await keys(page);
    await timed(`${name}'s first cell`, () => run(page, first!));
    await expect(cell(page, first!).locator("[data-status]")).toHaveAttribute("data-status", "ok");
    await page.goto(`${own}/`);
    await expect(page.getByRole("heading", { name: "Runs" })).toBeVisible();
  }
  const stranger = await contexts[0]!.newPage();
  const answer = await stranger.goto(`${address}/user/grace/minigrad/lessons`);
  expect([403, 404]).toContain(answer!.status());
  expect(wrong).toEqual([]);
});
