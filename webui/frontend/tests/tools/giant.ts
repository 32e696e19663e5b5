/** A run of the size that a measure speaks of: the recorded GPT with fewer heads, in the store of the tests' server. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PORTS, PYTHON, RECORDED_TOKEN } from "../e2e/python";

export interface Giant {
  id: string;
  /** Of its graph, with those of backward. */
  nodes: number;
}

const SIZES = "LAYERS, HEADS, WIDTH, LENGTH, LETTERS = 12, 12, 48, 12, 27";

export async function giant(heads: number, width: number): Promise<Giant> {
  const folder = mkdtempSync(join(tmpdir(), "minigrad-giant-"));
  try {
    const program = readFileSync("fixtures/programs/gpt.py", "utf8");
    const smaller = program.replace(SIZES, SIZES.replace("12, 12, 48", `12, ${heads}, ${width}`));
    if (smaller === program) throw new Error(`gpt.py no longer says ${SIZES}`);
    writeFileSync(join(folder, "gpt.py"), smaller);
    const options = ["--headless", "--values", "none", "--record", "gpt.jsonl"];
    execFileSync(PYTHON, ["-m", "minigrad", "run", ...options, "gpt.py"], { cwd: folder, env });
    const trace = readFileSync(join(folder, "gpt.jsonl"), "utf8");
    const response = await fetch(`http://127.0.0.1:${PORTS.recorded}/api/runs/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${RECORDED_TOKEN}` },
      body: trace,
    });
    if (!response.ok) throw new Error(`The server did not take the run: ${await response.text()}`);
    const records = trace
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; id: string; recorded?: boolean });
    const ops = records.filter(({ type }) => type === "node");
    return { id: records[0]!.id, nodes: ops.length + ops.filter((op) => op.recorded).length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
