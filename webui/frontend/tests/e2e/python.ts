/** The Python whose minigrad the tests use, and the server that holds real recorded runs. */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

export const PYTHON = process.env.PYTHON ?? "python3";
export const ROOT = resolve(process.cwd(), "../..");

/** Ports can be moved, so that two checkouts can be tested side by side. */
const first = Number(process.env.E2E_PORT ?? 4319);
export const PORTS = { fixtures: first, recorded: first + 1 };
export const RECORDED_TOKEN = "recorded-runs";

/** A page of the recorded runs: `recorded("run=gpt&sel=n3")`. */
export const recorded = (hash: string): string =>
  `http://127.0.0.1:${PORTS.recorded}/?token=${RECORDED_TOKEN}${hash && `#${hash}`}`;

export const env = {
  ...process.env,
  PYTHONPATH: [ROOT, join(ROOT, "webui"), process.env.PYTHONPATH].filter(Boolean).join(":"),
};

/** Who works on the page alone needs no Python, and leaves these tests out. In CI nothing is left out. */
export const hasServer = (): boolean => (process.env.HAS_SERVER ??= String(importsServer())) === "true";

/** Takes seconds: the answer is kept in the environment, which Playwright's workers inherit. */
function importsServer(): boolean {
  try {
    execFileSync(PYTHON, ["-c", "import minigrad_webui.server"], { env, stdio: process.env.CI ? "inherit" : "ignore" });
    return true;
  } catch (error) {
    if (process.env.CI) throw new Error(`${PYTHON} cannot import minigrad_webui.server: set PYTHON`, { cause: error });
    return false;
  }
}
