/** The curves of each parameter's gradient: their numbers, what stands out, and the ways to a parameter. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { expectClean } from "./axe";
import { LiveServer, until } from "./live";
import { idle, open, press } from "./page";
import { env, hasServer, PYTHON, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const list = (page: Page) => page.getByRole("list", { name: "Parameters and their gradient norms" });
const row = (page: Page, name: string) => list(page).locator(`button:has-text("${name}")`);
const chart = (page: Page) => page.getByRole("slider", { name: "Training step" });
const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const step = (page: Page) => page.getByRole("spinbutton", { name: "Step" });

/** The norms by NumPy, step by step, where nobody watches. */
function inPython(program: string): Record<string, number>[] {
  const code = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['norms'], default=float))";
  return JSON.parse(execFileSync(PYTHON, ["-c", code, `fixtures/programs/${program}`], { env, encoding: "utf8" }));
}

/** The norm at a place of the axis, by the powers of ten that are written beside it. */
async function heightOf(page: Page, norm: number): Promise<number> {
  const ticks = await page.locator("#curves .bound").evaluateAll((all) =>
    all.map((one) => {
      const digits = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];
      const power = [...one.textContent!.slice(2)].map((c) => (c === "⁻" ? "-" : digits.indexOf(c))).join("");
      return { power: Number(power), top: parseFloat((one as HTMLElement).style.top) };
    }),
  );
  const [a, b] = [ticks[0]!, ticks.at(-1)!];
  return a.top + ((Math.log10(norm) - a.power) * (b.top - a.top)) / (b.power - a.power);
}

/** The points of the line that stands out. */
const standing = (page: Page) =>
  page.locator("path.standing").evaluate((path) => ({
    name: (path as SVGElement).dataset.parameter,
    points: [...path.getAttribute("d")!.matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]),
  }));

test("each number is Python’s, in the list and in the line, at the newest step and at an earlier one", async ({
  page,
}) => {
  const python = inPython("vanishing.py");
  await open(page, recorded("run=vanishing&curves=norms"));
  for (const at of [7, 3]) {
    await step(page).fill(String(at));
    await step(page).press("Enter");
    await idle(page);
    for (const [name, norm] of Object.entries(python[at]!)) {
      const told = Number(await row(page, name).getAttribute("data-norm"));
      expect(Math.abs(told - norm) / norm, `${name} in step ${at}`).toBeLessThan(1e-6);
    }
  }
  for (const name of ["body.0.weight", "body.12.bias", "head.weight"]) {
    await row(page, name).click();
    await idle(page);
    const line = await standing(page);
    expect(line.name).toBe(name);
    expect(line.points).toHaveLength(8);
    for (const [i, [, y]] of line.points.entries()) expect(y).toBeCloseTo(await heightOf(page, python[i]![name]!), 0.5);
  }
});

test("a layer that vanishes and one that never gets a gradient are named, and a press leads to each", async ({
  page,
}) => {
  await open(page, recorded("run=vanishing&curves=norms"));
  await expect(row(page, "body.0.weight")).toContainText("vanishing");
  await expect(row(page, "head.weight")).not.toContainText("vanishing");
  await expect(row(page, "spare.weight")).toContainText("no gradient");
  await page.getByRole("button", { name: /^\d+ vanishing$/ }).click();
  await expect(row(page, "body.0.weight")).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "2 no gradient" }).click();
  await expect(row(page, "spare.weight")).toHaveAttribute("aria-pressed", "true");
  await expect(row(page, "spare.weight")).toBeInViewport();
  const [low, high] = [await heightOf(page, 2e-10), await heightOf(page, 0.3)];
  expect(low - high, "a vanishing layer lies far below").toBeGreaterThan(60);
});

test("NaN is marked where the curves end", async ({ page }) => {
  await open(page, recorded("run=diverging&curves=norms"));
  await expect(page.locator("#curves line.broken")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "4 NaN" })).toBeVisible();
  await expect(row(page, "0.weight")).toContainText("NaN");
  await row(page, "0.weight").click();
  await idle(page);
  expect((await standing(page)).points).toHaveLength(4);
});

test("the loss is what one sees first; tabs, list and steps go by keys; a link holds what is chosen", async ({
  page,
}) => {
  await open(page, recorded("run=digits"));
  await expect(tab(page, "Loss")).toHaveAttribute("aria-selected", "true");
  await expect(list(page)).toHaveCount(0);
  await tab(page, "Loss").focus();
  await press(page, "ArrowRight");
  await expect(tab(page, "Gradient norms")).toBeFocused();
  await expect(tab(page, "Gradient norms")).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/curves=norms/);
  await press(page, "Tab");
  await expect(chart(page)).toBeFocused();
  await press(page, "ArrowLeft");
  await press(page, "ArrowLeft");
  await expect(step(page)).toHaveValue("26");
  await press(page, "Tab");
  await expect(row(page, "0.weight")).toBeFocused();
  await press(page, "ArrowDown", 2);
  await expect(row(page, "2.weight")).toBeFocused();
  await press(page, "Enter");
  await expect(page.getByRole("complementary", { name: "Inspector" }).getByRole("heading").first()).toHaveText(
    "2.weight",
  );
  await expect(chart(page)).toHaveAttribute("aria-valuetext", /^step 26, 2\.weight 0\.\d+$/);
  await expect(page).toHaveURL(/sel=t\d/);
  await page.reload();
  await idle(page);
  await expect(row(page, "2.weight")).toHaveAttribute("aria-pressed", "true");
});

test("a press on a line chooses its parameter and no step; beside the lines, and in a drag, a step", async ({
  page,
}) => {
  await open(page, recorded("run=vanishing&curves=norms"));
  await row(page, "body.18.weight").click();
  await idle(page);
  const { points } = await standing(page);
  await page.mouse.move(700, 300);
  await press(page, "Escape");
  await expect(page.locator("path.standing")).toHaveCount(0);
  const box = (await chart(page).boundingBox())!;
  const [x, y] = points[2]!;
  await page.mouse.move(box.x + x!, box.y + y!);
  await expect(page.locator("path.standing")).toHaveAttribute("data-parameter", "body.18.weight");
  await page.mouse.down();
  await page.mouse.up();
  await idle(page);
  await expect(row(page, "body.18.weight")).toHaveAttribute("aria-pressed", "true");
  await expect(step(page)).toHaveValue("7");
  await page.mouse.down();
  await page.mouse.move(box.x + points[4]![0]!, box.y + y!, { steps: 4 });
  await page.mouse.up();
  await idle(page);
  await expect(step(page)).toHaveValue("4");
  await open(page, recorded("run=digits&curves=norms"));
  await page.mouse.click(box.x + box.width / 3, (await chart(page).boundingBox())!.y + 4);
  await idle(page);
  await expect(step(page)).toHaveValue(/^1\d$/);
  await expect(page.locator("path.standing")).toHaveCount(0);
});

const GROWING = `
import sys
import minigrad as mg
mg.watch("growing.py", browser=False, values="all")
mg.manual_seed(0)
net = mg.nn.Sequential(mg.nn.Linear(3, 4), mg.nn.ReLU(), mg.nn.Linear(4, 1))
sgd = mg.optim.SGD(net.parameters(), lr=0.01)
for line in sys.stdin:
    for _ in range(int(line)):
        sgd.zero_grad()
        net(mg.ones(2, 3)).sum().backward()
        sgd.step()
    print("taken", flush=True)
`;

test("while a run goes on its curves grow, and are asked for only while they are shown", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "growing.py");
    writeFileSync(file, GROWING);
    const { program, run } = await live.watch(file);
    let asked = 0;
    page.on("request", (request) => (asked += Number(/\/gradients$/.test(request.url()))));
    const train = async (steps: number): Promise<void> => {
      program.stdin!.write(`${steps}\n`);
      await until(program, /taken/);
    };
    await page.goto(run);
    await train(3);
    await expect(tab(page, "Loss")).toBeVisible();
    expect(asked).toBe(0);
    await tab(page, "Gradient norms").click();
    await row(page, "2.weight").click();
    await expect.poll(async () => (await standing(page)).points.length).toBe(3);
    for (const total of [6, 9]) {
      await train(3);
      await expect.poll(async () => (await standing(page)).points.length).toBe(total);
    }
    await tab(page, "Loss").click();
    const before = asked;
    await train(3);
    await expect(chart(page)).toHaveAttribute("aria-valuemax", "11");
    expect(asked).toBe(before);
  } finally {
    live.stop();
  }
});

/** A run of a program, recorded and exported to a file that opens without a server. */
function exported(program: string, values: string, output: (name: string) => string): string {
  const [trace, file] = [output("trace.jsonl"), output("replay.html")];
  const command = ["-m", "minigrad", "run", "--headless", "--values", values, "--record", trace];
  execFileSync(PYTHON, [...command, `fixtures/programs/${program}`], { env, input: "", stdio: "pipe" });
  execFileSync(PYTHON, ["-m", "minigrad", "export", trace, "-o", file], { env, stdio: "pipe" });
  return `file://${file}#curves=norms`;
}

test("a file that opens without a server shows the same curves", async ({ page }, info) => {
  await page.goto(exported("vanishing.py", "all", (name) => info.outputPath(name)));
  await idle(page);
  const norm = inPython("vanishing.py")[7]!["body.0.weight"]!;
  expect(Math.abs(Number(await row(page, "body.0.weight").getAttribute("data-norm")) - norm) / norm).toBeLessThan(1e-6);
  await row(page, "body.0.weight").click();
  expect((await standing(page)).points).toHaveLength(8);
  await expect(row(page, "spare.bias")).toContainText("no gradient");
});

test("a run without values says why there is nothing to see", async ({ page }, info) => {
  await page.goto(exported("learning.py", "none", (name) => info.outputPath(name)));
  await idle(page);
  await expect(page.getByRole("tabpanel")).toHaveText(/recorded without values/);
});

test("axe finds nothing serious in them", async ({ page }) => {
  for (const run of ["vanishing", "diverging"]) {
    await open(page, recorded(`run=${run}&curves=norms`));
    await list(page).getByRole("button").first().click();
    await expectClean(page, "aside.left");
  }
});
