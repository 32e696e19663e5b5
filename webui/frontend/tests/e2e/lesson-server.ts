/** A server of the tests' own for lessons, with an empty folder for the learner, and the course as its files tell it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PYTHON } from "./python";

export interface Told {
  slug: string;
  title: string;
  fast: boolean;
  /** In which the whole file has run on a slow machine. */
  seconds: number;
  /** The solved exercises, by the cells' keys, in their order. */
  solutions: Record<string, string>;
}

const TELL = `
import json
from minigrad.classroom import load_course
def solved(cell): return "\\n".join(line for line in cell.text.split("\\n") if not line.strip().startswith("### "))
print(json.dumps([
    dict(slug=entry.slug, title=entry.title, fast=entry.fast_track, seconds=entry.seconds, solutions={
        f"c{at}": solved(cell) for at, cell in enumerate(entry.read().cells) if cell.tag == "exercise"
    }) for entry in load_course()
]))`;

/** The course, with the solutions that the page does not get. */
export const tellCourse = (): Told[] =>
  JSON.parse(execFileSync(PYTHON, ["-c", TELL], { env, encoding: "utf8" })) as Told[];

export class LessonServer {
  readonly folder = mkdtempSync(join(tmpdir(), "lessons-"));
  private process: ChildProcess | null = null;
  private token = "";
  origin = "";

  /** On any free port, or again on the same one. */
  async start(): Promise<void> {
    const port = this.origin === "" ? "0" : new URL(this.origin).port;
    const options = ["-m", "minigrad_webui.server", "--port", port, "--store", join(this.folder, "runs.sqlite")];
    const process = (this.process = spawn(PYTHON, options, {
      env: { ...env, MINIGRAD_DATA_DIR: this.folder, MINIGRAD_TOKEN: "lessons" },
    }));
    const address = await new Promise<string>((found, failed) => {
      let text = "";
      const read = (chunk: Buffer): void => {
        text += String(chunk);
        const match = /http:\S+token=\S+/.exec(text);
        if (match) found(match[0]);
      };
      process.stdout.on("data", read);
      process.stderr.on("data", read);
      process.on("exit", () => failed(new Error(`The server ended:\n${text}`)));
    });
    this.origin = new URL(address).origin;
    this.token = new URL(address).searchParams.get("token")!;
  }

  /** A page's address, with the key to it. */
  page(path: string): string {
    return `${this.origin}/${path}?token=${this.token}`;
  }

  stop(): Promise<void> {
    const process = this.process;
    if (!process || process.exitCode !== null) return Promise.resolve();
    return new Promise((ended) => {
      process.removeAllListeners("exit");
      process.on("exit", () => ended());
      process.kill("SIGINT");
    });
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
