/** Every program of the corpus, live at the default settings: the figures go into FEATURES.md, the pictures into a folder. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { broken, CORPUS, type Figures, figuresOf, lookOn } from "../e2e/corpus";
import { LiveServer } from "../e2e/live";
import { idle } from "../e2e/page";
import { hasServer } from "../e2e/python";

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const FOLDER = process.env.PICTURES ?? "test-results/corpus";
const LIVE_EVERY_MS = 1500;
const SIZES = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } };

const figuresFile = (name: string): string => join(FOLDER, `${name}.json`);

const afterFrames = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const next = (left: number): void => void (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  });

/** The end of the run in both themes, wide and on a phone. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const [width, size] of Object.entries(SIZES))
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(afterFrames, 4); // the pane tells its new size in a frame, and the layout begins after that
      await idle(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`), animations: "disabled" });
    }
}

test.beforeAll(() => void mkdirSync(FOLDER, { recursive: true }));

for (const program of CORPUS)
  test(program.name, async ({ page }) => {
    const live = new LiveServer();
    let taken = 0;
    const timer = setInterval(() => {
      if (!page.url().includes("run=")) return;
      const path = join(FOLDER, `${program.name}-live-${(taken += 1)}.png`);
      void page.screenshot({ path }).catch(() => undefined);
    }, LIVE_EVERY_MS);
    try {
      await live.start();
      const seen = await lookOn(page, live, program);
      clearInterval(timer);
      const wrong = broken(seen);
      writeFileSync(figuresFile(program.name), JSON.stringify({ figures: figuresOf(seen), wrong, seen: seen.samples }));
      await pictures(page, program.name);
      expect(wrong).toEqual([]);
    } finally {
      clearInterval(timer);
      live.stop();
    }
  });

const START = "<!-- corpus -->";
const HEAD = [
  "| program | samples | what acts is in sight | without a box | least text | losses | does not hold |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];

function rowOf(name: string): string {
  const { figures, wrong } = JSON.parse(readFileSync(figuresFile(name), "utf8")) as {
    figures: Figures;
    wrong: string[];
  };
  const { samples, inSight, blank, text, losses } = figures;
  const sight = `${(100 * inSight).toFixed(0)} %`;
  return `| ${[name, samples, sight, blank, `${text.height.toFixed(1)} px`, losses, wrong.join("; ")].join(" | ")} |`;
}

test.afterAll(() => {
  const rows = CORPUS.filter(({ name }) => existsSync(figuresFile(name))).map(({ name }) => rowOf(name));
  console.log(`\n${rows.join("\n")}\n`);
  if (rows.length < CORPUS.length) return;
  const text = readFileSync("FEATURES.md", "utf8").split(START)[0]!;
  writeFileSync("FEATURES.md", `${text}${START}\n\n${[...HEAD, ...rows].join("\n")}\n`);
});
