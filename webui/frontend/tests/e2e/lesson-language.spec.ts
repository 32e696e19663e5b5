/** The course in German, and on paper. */
import { expect, test } from "@playwright/test";
import { tellCourse } from "./course";
import { cell, check, openLesson, write } from "./lesson";
import { LiveServer } from "./live";
import { idle } from "./page";
import { hasServer, PYTHON } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 300_000 });

const server = new LiveServer();
test.beforeAll(() => server.start());
test.afterAll(async () => {
  await server.leave();
  server.stop();
});

test("a learner chooses German, and works in it", async ({ page }) => {
  await page.goto(server.page("lessons"));
  await idle(page);
  await page.getByLabel("Language").selectOption({ label: "Deutsch" });
  await expect(page.getByRole("link", { name: "Lektion 1 beginnen" })).toBeVisible();
  await expect(page.getByText("Eine Zahl, eine Steigung")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");

  await page.goto(server.page("lesson/01-one-number-one-slope"));
  await expect(page.getByRole("heading", { level: 1, name: "Eine Zahl, eine Steigung" })).toBeVisible();
  await expect(page.getByRole("figure", { name: "Eine Figur zum Spielen" })).toContainText("Steigung durch Probieren");
  await expect(page.getByRole("button", { name: "Von oben ausführen" })).toBeEnabled();
  const key = (await page.locator("[data-cell].exercise").first().getAttribute("data-cell"))!;
  await cell(page, key).getByRole("button", { name: "Einen Hinweis zeigen" }).click();
  await expect(cell(page, key)).toContainText("Was ist die Differenz der beiden Ergebnisse?");
  await write(page, key, "def slope(function, x, push=1e-5):\n    return (function(x + push) - function(x)) / push");
  await cell(page, key).getByRole("button", { name: "Prüfen" }).click();
  await idle(page);
  await expect(cell(page, key)).toContainText("Noch nicht.");
  await expect(page.getByRole("banner")).toContainText("1 Eine Zahl, eine Steigung");
  await expect(cell(page, key)).toContainText("Was ist die Differenz der beiden Ergebnisse?");

  await page.getByLabel("Sprache").selectOption({ label: "English" });
  await expect(page.getByRole("heading", { level: 1, name: "One number, one slope" })).toBeVisible();
  await expect(cell(page, key)).toContainText("What is the difference of the two results?");
  await expect(cell(page, key).locator(".cm-content")).toContainText("function(x + push) - function(x)");
});

test("a wrong answer is told in the language of the page, and drawn in every language", async ({ page }) => {
  const told = tellCourse()[1]!;
  const key = Object.keys(told.mistakes).at(-1)!;
  const { code, sentence } = told.mistakes[key]![0]!;
  await openLesson(page, server.page(`lesson/${told.slug}`));
  await write(page, key, code);
  await check(page, key);
  const verdict = cell(page, key).locator(".verdict");
  const picture = page.getByRole("region", { name: /^Graph/ }).locator(".verdict-figure");
  await expect(verdict).toContainText(sentence.replaceAll("`", ""));
  await expect(verdict).toContainText("after `backward(");
  await expect(picture.locator("svg")).toBeVisible();
  const boxes = await picture.locator("svg g[transform]").count();

  await page.getByLabel("Language").selectOption({ label: "Deutsch" });
  await expect(verdict).toContainText("Mit = löscht die zweite Verwendung die erste aus.");
  await expect(verdict).toContainText("nach `backward(");
  await expect(verdict).not.toContainText("after `backward(");
  await expect(picture.locator("svg")).toBeVisible();
  await expect(picture.locator("svg g[transform]")).toHaveCount(boxes);
});

test("a lesson is printed whole, with its figure and its graph, and without what is only to be clicked", async ({
  page,
}) => {
  await openLesson(page, server.page("lesson/02-gradients-add-up"));
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("banner")).toBeHidden();
  await expect(page.getByRole("figure")).toBeVisible();
  await expect(page.getByRole("img", { name: /^The figure as a graph/ })).toBeVisible();
  const [text, whole] = await page.evaluate(() => {
    const article = document.querySelector("article")!;
    return [article.clientHeight, article.scrollHeight];
  });
  expect(text).toBe(whole);
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect((pdf.match(/\/Type\s*\/Page\b/g) ?? []).length).toBeGreaterThan(6);
});
