/** A server with a store of its own, and programs that publish to it: what the tests of live runs start and end. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PYTHON } from "./python";

/** What a process prints, as soon as it holds what is looked for. */
export function until(child: ChildProcess, wanted: RegExp, heard: (text: string) => void = () => undefined) {
  return new Promise<string>((found, failed) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += String(chunk);
      heard(String(chunk));
      const match = wanted.exec(text);
      if (match) found(match[0]);
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    child.on("exit", () => failed(new Error(`It ended:\n${text}`)));
  });
}

export class LiveServer {
  readonly folder = mkdtempSync(join(tmpdir(), "live-"));
  address = "";
  private server: ChildProcess | null = null;
  private readonly programs: ChildProcess[] = [];

  async start(): Promise<void> {
    const options = ["-m", "minigrad_webui.server", "--port", "0", "--store", join(this.folder, "runs.sqlite")];
    this.server = spawn(PYTHON, options, { env: { ...env, MINIGRAD_DATA_DIR: this.folder } });
    this.address = await until(this.server, /http:\S+token=\S+/);
  }

  program(file: string, more: Record<string, string> = {}): ChildProcess {
    const started = spawn(PYTHON, [file], { env: { ...env, MINIGRAD_DATA_DIR: this.folder, ...more } });
    this.programs.push(started);
    return started;
  }

  stop(): void {
    for (const one of [...this.programs, this.server]) {
      one?.removeAllListeners("exit");
      one?.kill("SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
