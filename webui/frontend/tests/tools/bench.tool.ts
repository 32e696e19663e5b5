/** The explorer's numbers beside their targets, as a table and as JSON. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "@playwright/test";
import { hasServer, ROOT } from "../e2e/python";
import { bundle, coldOpen, largeNet, liveRun, type Measured, panning, restoring } from "./measures";
import { serverLines } from "./server";

const FILE = join(ROOT, "benchmarks-ui.json");
const lines: Measured[] = [];

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
test.use({ reducedMotion: "reduce" });

for (const ops of [30, 200])
  test(`event to screen, and what moves, ${ops} ops`, async ({ page }) =>
    void lines.push(...(await liveRun(page, ops))));
test("cold open", async ({ browser }) => void lines.push(await coldOpen(browser)));
test("a large net", async ({ page, browser }) => void lines.push(...(await largeNet(page, browser))));
test("panning", async ({ page }) => void lines.push(await panning(page)));
test("restoring", async ({ page }) => void lines.push(await restoring(page)));
test("bundle", () => void lines.push(bundle()));
test("server", () => void lines.push(...serverLines()));

const reached = (line: Measured): boolean => (line.atLeast ? line.seen >= line.reach : line.seen <= line.reach);

/** A machine that does other work besides stretches the clock's time, not the processor's. Less work is no proof that it would be reached. */
function verdict(line: Measured): string {
  if (reached(line)) return "reached";
  return line.cpu !== undefined && line.cpu <= line.reach
    ? "missed by the clock; the main thread worked for less"
    : "missed";
}

test.afterAll(() => {
  const verdicts = lines.map((line) => ({ ...line, reached: reached(line), verdict: verdict(line) }));
  writeFileSync(FILE, JSON.stringify({ taken: new Date().toISOString(), lines: verdicts }, null, 1) + "\n");
  const cells = verdicts.map((l) => [
    l.what,
    `${Number(l.seen.toFixed(2))} ${l.unit}`,
    l.cpu === undefined ? "" : `${l.cpu.toFixed(1)} ms`,
    `${l.atLeast ? "at least" : "at most"} ${l.reach} ${l.unit}`,
    l.verdict,
    l.note,
  ]);
  const rows = [["measure", "seen", "CPU", "to reach", "", ""], ...cells];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const table = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
  console.log(
    `\n\n${table.join("\n")}\n\nCPU: of the page's main thread, for one op, opening, frame or move; of the server for its own rows. As JSON: ${FILE}\n`,
  );
});
