/** What must hold of the picture of a program that nobody prepared, for some of the corpus; `npm run corpus` has all of it. */
import { expect, test } from "@playwright/test";
import { broken, CORPUS, lookOn } from "./corpus";
import { LiveServer } from "./live";
import { hasServer } from "./python";

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const QUICK = ["micrograd", "accumulate", "cnn_nan", "crash", "forgotten", "gan"];

/** Two tests run at a time on a machine of two processors. */
const BUSY = { inSight: 0.7, blank: 3 };

const live = new LiveServer();
test.beforeAll(() => live.start());
test.afterAll(() => live.stop());

for (const program of CORPUS.filter(({ name }) => QUICK.includes(name)))
  test(`${program.name}: what acts is in sight, text can be read, and what is said is so`, async ({ page }) => {
    expect(broken(await lookOn(page, live, program, 1.5), BUSY)).toEqual([]);
  });
