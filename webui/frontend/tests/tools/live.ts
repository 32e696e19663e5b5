/** A server of its own and a program that it watches, each a process, for what recorded runs cannot show. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PYTHON } from "../e2e/python";

/** What a process prints, as soon as it holds what is looked for. */
export function said(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  return new Promise((found, failed) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += String(chunk);
      const match = wanted.exec(text);
      if (match) found(match);
    };
    child.stdout!.on("data", read);
    child.stderr!.on("data", read);
    child.once("exit", () => failed(new Error(`It ended:\n${text}`)));
  });
}

export class Live {
  readonly folder = mkdtempSync(join(tmpdir(), "live-"));
  private readonly children: ChildProcess[] = [];
  private address = "";

  /** Starts the server, on a port that is free and with a store of its own. */
  async serve(): Promise<void> {
    const options = ["-m", "minigrad_webui.server", "--port", "0", "--store", join(this.folder, "runs.sqlite")];
    this.address = (await said(this.start(options), /http:\S+token=\S+/))[0];
  }

  /** Starts a program that calls `mg.watch()`; its process, and the address of its run. */
  async watch(file: string, ...rest: string[]): Promise<{ program: ChildProcess; run: string }> {
    const program = this.start([file, ...rest]);
    const [hash] = await said(program, /#run=\S+/);
    return { program, run: this.address + hash };
  }

  /** A page of the server that is not a run: `page("lessons")`. */
  page(path: string): string {
    return this.address.replace("/?", `/${path}?`);
  }

  stop(): void {
    for (const child of this.children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private start(args: string[]): ChildProcess {
    const child = spawn(PYTHON, args, { env: { ...env, MINIGRAD_DATA_DIR: this.folder } });
    this.children.push(child);
    return child;
  }
}
