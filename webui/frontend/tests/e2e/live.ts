/** A server of its own and the programs that it watches, each a process: for what recorded runs cannot show. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PYTHON } from "./python";

type Settings = Record<string, string>;

/** The output of each process, from its beginning. */
const printed = new WeakMap<ChildProcess, string>();

export function listen(child: ChildProcess): void {
  printed.set(child, "");
  const read = (chunk: Buffer): void => void printed.set(child, printed.get(child)! + String(chunk));
  child.stdout!.on("data", read);
  child.stderr!.on("data", read);
}

/** Waits until a process has printed what is looked for, before now or from now on: that, or what is in its brackets. */
export function until(child: ChildProcess, wanted: RegExp, heard: (text: string) => void = () => undefined) {
  return new Promise<string>((found, failed) => {
    const look = (): void => {
      const match = wanted.exec(printed.get(child)!);
      if (match) found(match[1] ?? match[0]);
    };
    const read = (chunk: Buffer): void => {
      heard(String(chunk));
      look();
    };
    heard(printed.get(child)!);
    look();
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    child.once("exit", () => failed(new Error(`It ended:\n${printed.get(child)!}`)));
  });
}

export class LiveServer {
  readonly folder = mkdtempSync(join(tmpdir(), "live-"));
  /** Of its first page, with the token. */
  address = "";
  private server: ChildProcess | null = null;
  private readonly programs: ChildProcess[] = [];

  /** On any port that is free; a second time, after an end, on the same one, with the same key. */
  async start(): Promise<void> {
    const port = this.address === "" ? "0" : new URL(this.address).port;
    const options = ["-m", "minigrad_webui.server", "--port", port, "--store", join(this.folder, "runs.sqlite")];
    this.server = this.spawn(options, { MINIGRAD_TOKEN: "live" });
    this.address = await until(this.server, /http:\S+token=\S+/);
  }

  /** Of its first page, with the key of those who may only watch. */
  get audience(): string {
    const key = createHmac("sha256", "live").update("watching").digest("hex").slice(0, 32);
    return this.address.replace(/token=.*/, `token=${key}`);
  }

  /** Another page of the server, with the key to it: `page("lessons")`. */
  page(path: string): string {
    return this.address.replace("/?", `/${path}?`);
  }

  /** Starts a program, given its file and its arguments. */
  program(command: string[], more: Settings = {}): ChildProcess {
    const started = this.spawn(command, more);
    this.programs.push(started);
    return started;
  }

  /** Starts a program that calls `mg.watch()`; its process, and the address of its run. */
  async watch(...command: string[]): Promise<{ program: ChildProcess; run: string }> {
    const program = this.program(command);
    return { program, run: this.address + (await until(program, /#run=[\w-]+/)) };
  }

  /** Ends the server as Ctrl+C does, and waits for it; `start` brings it back. */
  leave(): Promise<void> {
    const server = this.server;
    if (!server || server.exitCode !== null) return Promise.resolve();
    return new Promise((ended) => {
      server.removeAllListeners("exit");
      server.on("exit", () => ended());
      server.kill("SIGINT");
    });
  }

  /** Ends the server without a word to anybody. */
  crash(): void {
    if (this.server) kill(this.server);
  }

  /** Ends everything. */
  stop(): void {
    this.programs.forEach(kill);
    this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(command: string[], more: Settings): ChildProcess {
    const child = spawn(PYTHON, command, { env: { ...env, MINIGRAD_DATA_DIR: this.folder, ...more } });
    listen(child);
    return child;
  }
}

/** Ends a process; that it ends is then no surprise to who still listens. */
export function kill(child: ChildProcess): void {
  child.removeAllListeners("exit");
  child.kill("SIGKILL");
}
