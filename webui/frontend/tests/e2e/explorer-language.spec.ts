/** The explorer in German: whatever a person opens, nothing that can be read there is left in English. */
import { expect, type Page, test } from "@playwright/test";
import { choose, leftInEnglish } from "./language";
import { LiveServer } from "./live";
import { idle, open, press } from "./page";
import { hasServer, PYTHON, recorded } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ timeout: 600_000 });
test.use({ reducedMotion: "reduce" });

/** The same in German, each for a reason: Python's words, units, signs, and words that are German too. */
const SAME = [
  "autograd",
  "backward",
  "forward",
  "in backward",
  "cpu",
  "float32",
  "float64",
  "int64",
  "grad",
  "log",
  "mini",
  "max",
];
const GERMAN_TOO = [
  "Graph",
  "Hooks?",
  "Live",
  "Matrix",
  "NaN",
  "None",
  "Parameter",
  "Pause",
  "Status",
  "Tensor",
  "Text",
  "Zoom",
];
const UNITS = ["[KMG]iB", "Bytes", "ms", "min"];
/** The fixtures' programs call modules and tensors by these words; no text of the explorer is one of them alone. */
const OWN = [
  "bias",
  "centred",
  "found",
  "future",
  "given",
  "head",
  "hidden",
  "indices",
  "input",
  "net",
  "out",
  "pictures",
  "scale",
  "shift",
  "spare",
  "text",
  "variance",
  "wanted",
  "weight",
];
/** The words of PyTorch's own error, by which people search. */
const ERRORS = /^(\d+: )?one of the variables needed for gradient computation/;

let names: RegExp;

/** Names of ops, and what looks like a name of a program's own, are in no language. */
test.beforeAll(async ({ playwright }) => {
  const api = await playwright.request.newContext();
  const ops = (await (await api.get(recorded("").replace("/?", "/api/ops?"))).json()) as { name: string }[];
  await api.dispose();
  const looks = String.raw`[a-z_]*\d[\w.]*|\w+(\.\w+)+|\w*_\w*|[a-zA-Z]`;
  const words = [...SAME, ...GERMAN_TOO, ...UNITS, ...OWN, ...ops.map(({ name }) => name), looks];
  const variable = String.raw`→ \w+\b`; // what a program calls a result
  names = new RegExp(String.raw`^(${variable}|\W|\d|\b(${words.join("|")})\b)*$|${ERRORS.source}`);
});

/** `own`: what only this program calls so, though the explorer has a text of the same letters. */
const nothingLeft = async (page: Page, within?: string, own = /^$/): Promise<void> =>
  expect((await leftInEnglish(page, names, within)).filter((text) => !own.test(text))).toEqual([]);

/** A tensor of that name. */
const LOSS = /^loss( v\d+)?$/;

const PICTURES: [name: string, hash: string][] = [
  ["a whole step", "run=learning&step=3"],
  ["an op", "run=learning&step=3&sel=n2"],
  ["a leaf", "run=learning&step=3&sel=t1"],
  ["a module of many", "run=gpt&sel=m/blocks.0"],
  ["the graph as text", "run=gpt&tree=1"],
  ["what was not taken", "run=digits&step=3&sel=n1"],
  ["no gradient", "run=detached&sel=t1&tree=1"],
  ["a second graph", "run=curvature&tree=1"],
  ["a checkpoint", "run=checkpointed&step=1&tree=1&sel=n29"],
  ["what went stale", "run=stale"],
  ["what went wrong", "run=poisoned"],
  ["what exploded", "run=diverging&curves=norms"],
  ["what vanished", "run=vanishing&curves=norms&tree=1"],
  ["a sequence", "run=sequence&tree=1"],
];
test("one picture after the other: nothing is left in English", async ({ page }) => {
  for (const [name, hash] of PICTURES)
    await test.step(name, async () => {
      await open(page, recorded(hash));
      await nothingLeft(page);
    });
});

test("the list of runs, deleting one, and the ops", async ({ page }) => {
  await open(page, recorded(""));
  const programs = /^[\w.]+\.py\b.*$/;
  const left = (await leftInEnglish(page, names)).filter((text) => !programs.test(text) && !/^\w+: /.test(text));
  expect(left).toEqual([]);
  await page
    .getByRole("button", { name: /^Delete / })
    .first()
    .click();
  await nothingLeft(page, "dialog h2, dialog button");
  await page.keyboard.press("Escape");
  await page.goto(recorded("").replace("/?", "/ops?"));
  await expect(page.getByText(/\d+ ops\./)).toBeVisible();
  await nothingLeft(page, "header.bar nav, .lead, article .chip, article button, article .small");
});

test("keys and legend, sharing, searching", async ({ page }) => {
  await open(page, recorded("run=learning&step=3"));
  await press(page, "?");
  await nothingLeft(page, "dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Share" }).click();
  await nothingLeft(page, "#share-menu");
  await page.keyboard.press("Escape");
  await press(page, "/");
  for (const query of ["tanh", "nothingiscalledso", "size>1"]) {
    await page.getByRole("combobox", { name: "Search ops" }).fill(query);
    await nothingLeft(page, "[role=search]");
  }
});

test("every colouring, with its legend and its text tree", async ({ page }) => {
  await open(page, recorded("run=vanishing&step=3&tree=1"));
  for (const key of ["1", "2", "3", "4", "5"]) {
    await press(page, key);
    await nothingLeft(page, "main");
  }
});

test("every event of a program", async ({ page }) => {
  await open(page, recorded("run=expression&step=0"));
  await press(page, "Home");
  const last = Number(await page.getByRole("slider", { name: "Event", exact: true }).getAttribute("aria-valuemax"));
  expect(last).toBeGreaterThan(10);
  for (let event = 0; event <= last; event++) {
    await nothingLeft(page, "footer, aside.right, main section", LOSS);
    await press(page, "ArrowRight");
  }
});

test("all steps, comparing two of them, and a run beside another", async ({ page }) => {
  await open(page, recorded("run=learning&step=3"));
  await page.getByRole("button", { name: "All steps" }).click();
  await nothingLeft(page, "footer");
  await page.getByRole("button", { name: "All steps" }).click();
  await press(page, "c");
  await page.getByRole("button", { name: "Compare", exact: true }).last().click();
  await idle(page);
  for (const measure of ["elements", "value", "gradient", "update", "time", "bytes"]) {
    await page.getByLabel("Compare by").selectOption(measure);
    await nothingLeft(page, "aside.right > section");
  }
});

test("the tour, and why a gradient is None", async ({ page }) => {
  for (const run of ["learning&step=5", "poisoned&step=3", "vanishing"]) {
    await open(page, recorded(`run=${run}`));
    await press(page, ".");
    const stops = Number(/of (\d+)/.exec(await page.getByRole("region", { name: "Tour of the run" }).innerText())![1]);
    for (let stop = 0; stop < stops; stop++) {
      await nothingLeft(page, "main section");
      await press(page, ".");
    }
  }
  await open(page, recorded("run=detached"));
  for (const key of ["w", "g"]) {
    await press(page, key);
    await nothingLeft(page, "main [role=status]");
    await press(page, "ArrowDown");
    await nothingLeft(page, "main [role=status]");
  }
});

test("an element that is dragged", async ({ page }) => {
  await open(page, recorded("run=micrograd&sel=t1"));
  await nothingLeft(page, "aside.right");
  await page.locator("aside.right").getByRole("slider").focus();
  await press(page, "ArrowRight");
  await nothingLeft(page, "aside.right");
});

test("the boxes of the picture, as it is saved", async ({ page }) => {
  await open(page, recorded("run=gpt"));
  const texts = async (): Promise<string[]> => {
    const waiting = page.waitForEvent("download");
    await page.evaluate(() => document.querySelector<HTMLButtonElement>("#share-menu button:nth-child(2)")!.click());
    const file = await (await waiting).createReadStream();
    let svg = "";
    for await (const chunk of file) svg += String(chunk);
    return [...svg.matchAll(/>([^<>]*\p{L}{2}[^<>]*)<\/text>/gu)].map((found) => found[1]!);
  };
  const english = await texts();
  await choose(page, "de");
  const german = await texts();
  expect(english.length).toBeGreaterThan(20);
  // The modules and tensors of this program.
  const OWN =
    /^(→ )?(loss|place|letter|last|scores|target|attention|wide|narrow|Norm|Linear|Block ×12|model( \(\d\))?(\..*)?)$/;
  const left = german.filter((text) => english.includes(text) && !names.test(text) && !OWN.test(text));
  expect([...new Set(left)]).toEqual([]);
});

test("a program that is paused, its breakpoints, and where they are not to be set", async ({ page }) => {
  const server = new LiveServer();
  await server.start();
  try {
    server.program(["fixtures/paused.py", "backward"], { MINIGRAD_PAUSE_GRACE: "20" });
    await page.goto(server.address);
    await page
      .getByRole("button", { name: /paused\.py/ })
      .first()
      .click();
    await expect(page.getByRole("region", { name: "The program is paused" })).toBeVisible();
    await idle(page);
    await nothingLeft(page, "body", LOSS);
    await press(page, "Shift+B");
    await nothingLeft(page, "aside.right", LOSS);
    await page.locator("#breakpoints-title").locator("xpath=../..").getByRole("combobox").first().selectOption("line");
    await page.getByPlaceholder("train.py:12").fill("x");
    await page.getByRole("button", { name: "Add" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await choose(page, "de");
    await page.getByRole("button", { name: "Hinzufügen" }).click();
    await expect(page.getByRole("alert")).toContainText("Eine Zeile ist eine Zahl");
  } finally {
    await server.leave();
    server.stop();
  }
});
