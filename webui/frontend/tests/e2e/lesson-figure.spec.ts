/** The pane beside a lesson is never empty: a figure to play with, and each wrong answer as a picture. */
import { expect, test } from "@playwright/test";
import { expectClean } from "./axe";
import { cell, check, openLesson, run, write } from "./lesson";
import { LiveServer } from "./live";
import { hasServer, PYTHON } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 300_000 });

const server = new LiveServer();
test.beforeAll(() => server.start());
test.afterAll(async () => {
  await server.leave();
  server.stop();
});

const TOO_EARLY = `def topological_order(root):
    order, to_visit = [], [root]
    while to_visit:
        value = to_visit.pop()
        if value in order:
            continue
        order.append(value)
        to_visit += [parent for parent, _ in value.parents]
    return order`;

test("the figure is dragged and moved by keyboard, and its bars and its graph follow", async ({ page }) => {
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  const figure = page.getByRole("figure", { name: "A figure to play with" });
  const slope = figure.locator("dd output").last();
  const graph = page.getByRole("img", { name: /^The figure as a graph/ });
  await expect(slope).toHaveText("4");
  await expect(graph).toContainText("+ 2.5");

  await figure.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(slope).toHaveText("−1");
  await expect(graph).toContainText("− 1");
  await expect(figure.getByRole("img")).toHaveAccessibleName(/at a = −1 it is 0, and its slope is −1/);

  const box = (await figure.getByRole("img").boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.up();
  await expect(slope).toHaveText("7");
  await figure.getByRole("button", { name: "As it was" }).click();
  await expect(slope).toHaveText("4");
});

test("minigrad's graph takes the figure's place once there is one, and the figure can be had again", async ({
  page,
}) => {
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  const figure = page.getByRole("img", { name: /^The figure as a graph/ });
  const mine = page.locator("[data-cell]").first();
  const key = (await mine.getAttribute("data-cell"))!;
  await write(page, key, "import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\n(x * x).backward()");
  await run(page, key);
  const shown = page.getByRole("group", { name: "What to show here" });
  await expect(shown.getByRole("button", { name: "Graph" })).toHaveAttribute("aria-pressed", "true");
  await expect(figure).toBeHidden();
  await shown.getByRole("button", { name: "Figure" }).click();
  await expect(figure).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`a wrong order is walked through on its graph, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openLesson(page, server.page("lesson/02-gradients-add-up"));
    const key = await page
      .locator("[data-cell]")
      .filter({ hasText: "topological_order(root)" })
      .first()
      .getAttribute("data-cell");
    await write(page, key!, TOO_EARLY);
    await check(page, key!);
    await cell(page, key!).getByRole("button", { name: "Show it in the picture" }).click();

    const picture = page.getByRole("group", { name: "Your answer as a picture" });
    await expect(picture).toContainText("Playing your order");
    await expect(picture.getByRole("listitem").filter({ hasText: /^a$/ }).first()).toHaveClass(/bad/);
    await expect(picture.getByRole("img")).toContainText("too late");
    while (await picture.getByRole("button", { name: "A step back" }).isEnabled()) {
      await picture.getByRole("button", { name: "A step back" }).click();
      if ((await picture.locator("[aria-live]").textContent())!.includes("comes before d")) break;
    }
    await expect(picture.locator("[aria-live]")).toContainText("a comes before d, which also uses it");
    await picture.getByRole("button", { name: "One that works" }).click();
    await expect(picture).toContainText("Playing one that works");
    await expect(picture.getByRole("img")).not.toContainText("too late");
    await expectClean(page, ".side");
  });

test("a wrong rule is played on its graph, and stops where it is wrong", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openLesson(page, server.page("lesson/01-one-number-one-slope"));
  const key = await page
    .locator("[data-cell]")
    .filter({ hasText: "def mul_backward" })
    .first()
    .getAttribute("data-cell");
  await write(page, key!, "def mul_backward(a, b, grad):\n    return grad * b, -grad * a");
  await check(page, key!);
  const picture = page.getByRole("group", { name: "Your answer as a picture" });
  await expect(picture).toContainText("Playing your answer");
  await expect(picture.locator("[aria-live]")).toHaveText("b: yours is −2, and should be 2. Only its sign is wrong.");
  await expect(picture.getByRole("img")).toContainText("should be 2");
  await expect(picture.getByRole("row").nth(1)).toContainText("✓ 10.0");
  await expect(picture.getByRole("row").nth(2)).toContainText("✗ -2.0");
  await picture.getByRole("button", { name: "One that works" }).click();
  await expect(picture.getByRole("img")).not.toContainText("should be 2");
  await write(page, key!, "def mul_backward(a, b, grad):\n    return grad * b, grad * a");
  await check(page, key!);
  await expect(picture).toBeHidden();
});

test("a guess is made and revealed on the graph that it is about", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  const question = page.getByRole("group", { name: "Predict, then reveal" }).first();
  const graph = question.getByRole("img");
  await expect(graph).toHaveAccessibleName(/The graph of the question\. a: 3, \?/);
  await question.getByLabel("Your guess").fill("4");
  await question.getByRole("button", { name: "Reveal" }).click();
  await expect(graph).toHaveAccessibleName(/a: 3, 6;/);
  await expect(graph).toContainText("you said 4");
});

test("what was printed, drawn and judged is there after the page was closed", async ({ page }) => {
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  const mine = page.locator("[data-cell]").first();
  const key = (await mine.getAttribute("data-cell"))!;
  const exercise = (await page.locator("[data-cell].exercise").first().getAttribute("data-cell"))!;
  await write(
    page,
    key,
    "import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad)",
  );
  await run(page, key);
  await write(page, exercise, "def two_ways(w, x, grad):\n    return grad * x, grad * w");
  await check(page, exercise);
  await page.goto("about:blank");
  await server.leave();
  await server.start();
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  await expect(cell(page, key).getByRole("group", { name: "Printed" })).toHaveText("tensor(6.)");
  await expect(cell(page, key)).toContainText("From before Python was restarted");
  await expect(cell(page, exercise).locator(".verdict")).toContainText("took only the one through the product");
  await expect(page.locator("footer .now b")).toContainText("Event");
});
