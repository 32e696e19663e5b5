/** A class that is on, and the browsers of those who are in it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, expect, type Page } from "@playwright/test";
import { listen, until } from "./live";
import { env, PYTHON } from "./python";

export class LiveClass {
  readonly folder = mkdtempSync(join(tmpdir(), "class-"));
  address = "";
  code = "";
  wall = "";
  projector = "";
  private server: ChildProcess | null = null;

  /** Its own tests try the sandbox; a machine without one shows the pages too. */
  constructor(
    private readonly lesson: string,
    private readonly more: string[] = ["--trust-pupils"],
  ) {}

  /** On any port that is free; a second time, after an end, the class goes on where it was. */
  async start(): Promise<void> {
    const options = ["-m", "minigrad", "class", this.lesson, "--no-browser", ...this.more];
    if (this.address === "") options.push("--port", "0");
    const settings = { ...env, MINIGRAD_DATA_DIR: this.folder, COLUMNS: "400", FORCE_COLOR: "" };
    this.server = spawn(PYTHON, options, { env: settings });
    listen(this.server);
    this.address = await until(this.server, /Pupils open\s+(http:\S+)\/join/);
    this.code = await until(this.server, /and type\s+(\S+)/);
    this.wall = await until(this.server, /Your wall\s+(\S+)/);
    this.projector = await until(this.server, /Projector\s+(\S+)/);
    await until(this.server, /Kept in/);
  }

  /** Ends it without a word to anybody. */
  kill(): Promise<void> {
    const server = this.server!;
    server.removeAllListeners("exit");
    return new Promise((ended) => {
      server.once("exit", () => ended());
      server.kill("SIGKILL");
    });
  }

  stop(): void {
    this.server?.removeAllListeners("exit");
    this.server?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A pupil comes in, in a browser of their own, and stands before the lesson. */
  async pupil(browser: Browser, name: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${this.address}/join#${this.code}`);
    await page.getByLabel("Your name").fill(name);
    await page.getByRole("button", { name: "Come in" }).click();
    await expect(page.getByRole("region", { name: "Class" })).toContainText(name);
    await expect(page.getByRole("button", { name: "Run from the top" })).toBeEnabled();
    return page;
  }
}
