/** The server's numbers, as `python -m benchmarks.server` measures them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, PYTHON, ROOT } from "../e2e/python";
import type { Measured } from "./measures";

interface Found {
  throughput: {
    stored_per_second: number;
    left_out: number;
    server_peak_mb: number;
    server_cpu_us: number;
    program_cpu_us: number;
  };
  "many viewers": { viewers: number; complete: number; median_ms: number; p95_ms: number; server_cpu_ms: number };
}

export function serverLines(): Measured[] {
  const folder = mkdtempSync(join(tmpdir(), "server-numbers-"));
  const file = join(folder, "found.json");
  try {
    execFileSync(PYTHON, ["-m", "benchmarks.server", "--json", file], { env, cwd: ROOT, stdio: "ignore" });
    const { throughput, "many viewers": many } = JSON.parse(readFileSync(file, "utf8")) as Found;
    return [
      {
        what: "records a second, program to store",
        unit: "/s",
        reach: 50_000,
        atLeast: true,
        seen: throughput.stored_per_second,
        note:
          `${throughput.left_out} of 1,000,000 left out; CPU a record: server ${throughput.server_cpu_us} µs, ` +
          `program ${throughput.program_cpu_us} µs (20 µs each would be 50,000/s)`,
      },
      {
        what: "server memory after 1,000,000 records",
        unit: "MB",
        reach: 300,
        seen: throughput.server_peak_mb,
        note: "the most it ever had",
      },
      {
        what: `${many.viewers} viewers, 95th percentile`,
        unit: "ms",
        reach: 250,
        seen: many.p95_ms,
        cpu: many.server_cpu_ms,
        note: `median ${many.median_ms} ms; ${many.complete} complete at the end; CPU: the server's for a batch to all`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
