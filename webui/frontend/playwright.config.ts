import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { defineConfig } from "@playwright/test";
import { PORTS, PYTHON, RECORDED_TOKEN, ROOT, hasServer } from "./tests/e2e/python";

/** The system's Chromium: from $CHROMIUM, else by name. Nothing is downloaded. */
function chromium(): string {
  const named = process.env.CHROMIUM;
  if (named && existsSync(named)) return named;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      continue;
    }
  }
  throw new Error("No Chromium was found. Install one, or set CHROMIUM to its path.");
}

/** What Chromium does beside our page, and no test needs. */
const WITHOUT = [
  // Two pages under the address bar, made for each window: a third of what a test costs.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  // Playwright leaves these out too, but of two lists the last is the one that counts.
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
];

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  `--disable-features=${WITHOUT.join(",")}`,
];

/** The real server with runs of real programs; left out where Python has no minigrad. */
const recorded = {
  command: `${PYTHON} fixtures/serve.py ${PORTS.recorded} .recorded`,
  url: `http://127.0.0.1:${PORTS.recorded}/api/health`,
  reuseExistingServer: true,
  timeout: 180_000,
  gracefulShutdown: { signal: "SIGINT" as const, timeout: 5000 },
  env: {
    PYTHONPATH: [ROOT, join(ROOT, "webui"), resolve("fixtures")].join(delimiter),
    MINIGRAD_TOKEN: RECORDED_TOKEN,
  },
};

export default defineConfig({
  testDir: "tests/e2e",
  // Files run side by side, three for two cores: much of the time a test waits for a process of its own.
  workers: 3,
  // A slow machine passes too: only the benchmarks time.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  // A test that passes at its second try is told as flaky, with what it saw: to be mended, but no reason to stop.
  retries: process.env.CI ? 1 : 0,
  reporter: [["list"]],
  outputDir: "test-results",
  use: {
    baseURL: `http://127.0.0.1:${PORTS.fixtures}/`,
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: chromium(), args: ARGUMENTS },
  },
  webServer: [
    {
      command: `npx vite preview --port ${PORTS.fixtures} --strictPort --host 127.0.0.1`,
      url: `http://127.0.0.1:${PORTS.fixtures}/`,
      reuseExistingServer: true,
    },
    ...(hasServer() ? [recorded] : []),
  ],
});
