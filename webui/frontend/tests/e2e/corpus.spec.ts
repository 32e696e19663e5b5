/** The invariants of the picture of an unprepared program, for some of the corpus; `npm run corpus` has all of it. */
import { expect, test } from "@playwright/test";
import { broken, CORPUS, lookOn } from "./corpus";
import { LiveServer } from "./live";
import { hasServer } from "./python";

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const QUICK = [
  "micrograd",
  "accumulate",
  "cnn_nan",
  "crash_block",
  "forgotten",
  "functional",
  "gan",
  "neurons",
  "tasks",
];

/** How soon the camera comes depends on the machine: `npm run corpus` measures it, on a quiet one. */
const ANY_TIME = { inSight: 0, blank: Infinity };

const live = new LiveServer();
test.beforeAll(() => live.start());
test.afterAll(() => live.stop());

for (const program of CORPUS.filter(({ name }) => QUICK.includes(name)))
  test(`${program.name}: text can be read, the camera stays with the program, and what is said is so`, async ({
    page,
  }) => {
    expect(broken(await lookOn(page, live, program, 1.5), ANY_TIME)).toEqual([]);
  });
