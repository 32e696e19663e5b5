/** The explorer's numbers beside their targets, as a table and as JSON. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "@playwright/test";
import { hasServer, ROOT } from "../e2e/python";
import { bundle, coldOpen, liveRun, type Measured, panning, restoring } from "./measures";

const FILE = join(ROOT, "benchmarks-ui.json");
const lines: Measured[] = [];

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
test.use({ reducedMotion: "reduce" });

for (const ops of [30, 200])
  test(`event to screen, and what moves, ${ops} ops`, async ({ page }) =>
    void lines.push(...(await liveRun(page, ops))));
test("cold open", async ({ browser }) => void lines.push(await coldOpen(browser)));
test("panning", async ({ page }) => void lines.push(await panning(page)));
test("restoring", async ({ page }) => void lines.push(await restoring(page)));
test("bundle", () => void lines.push(bundle()));

test.afterAll(() => {
  const verdicts = lines.map((line) => ({ ...line, reached: line.seen <= line.reach }));
  writeFileSync(FILE, JSON.stringify({ taken: new Date().toISOString(), lines: verdicts }, null, 1) + "\n");
  const cells = verdicts.map((l) => [
    l.what,
    `${Number(l.seen.toFixed(2))} ${l.unit}`,
    `${l.reach} ${l.unit}`,
    l.reached ? "reached" : "missed",
    l.note,
  ]);
  const rows = [["measure", "seen", "at most", "", ""], ...cells];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const table = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
  console.log(`\n\n${table.join("\n")}\n\nThe server's own numbers: python -m benchmarks.server. As JSON: ${FILE}\n`);
});
