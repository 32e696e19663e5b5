import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

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

const PORT = 4319;

export default defineConfig({
  testDir: "tests/e2e",
  workers: 1,
  timeout: 30_000,
  reporter: [["list"]],
  outputDir: "test-results",
  use: {
    baseURL: `http://127.0.0.1:${PORT}/`,
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: chromium(), args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] },
  },
  webServer: {
    command: `npx vite preview --port ${PORT} --strictPort --host 127.0.0.1`,
    url: `http://127.0.0.1:${PORT}/`,
    reuseExistingServer: true,
  },
});
