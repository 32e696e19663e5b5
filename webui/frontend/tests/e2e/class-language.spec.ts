/** A class whose teacher and pupils chose German: nothing on any of its pages is left in English. */
import { expect, type Page, test } from "@playwright/test";
import { LiveClass } from "./class";
import { tellCourse, type Told } from "./course";
import { choose, leftInEnglish } from "./language";
import { cell, check, write } from "./lesson";
import { hasServer, PYTHON } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 600_000 });
test.use({ reducedMotion: "reduce" });

const room = new LiveClass("2");
const course: Told[] = hasServer() ? tellCourse() : [];
const told = course[1];
const key = told ? Object.keys(told.solutions)[0]! : "";
const wrong = told?.mistakes[key]?.[0] ?? { sentence: "", code: "" };
/** Names, and the lesson in the language in which the class was started: its title and its exercises. */
const NAMES = new RegExp(
  String.raw`^(mini|grad|Ada|Bob|Addiere\.|\d+ (Gradients add up|min)( ·.*)?|[A-Z\d]{3}-[A-Z\d]{3}|\S*/join( · \S+)?|Code|ABC-234|Name|two-ways|uses|order|backward)$`,
);
const left = (page: Page, within?: string): Promise<string[]> => leftInEnglish(page, NAMES, within);
let teacher: Page;
let ada: Page;
let bob: Page;

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SHOTS) return;
  await choose(page, "de");
  const before = page.viewportSize()!;
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png` });
  }
  await page.setViewportSize(before);
  await choose(page, "en");
}

test.beforeAll(async ({ browser }) => {
  await room.start();
  teacher = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await teacher.goto(room.wall);
});
test.afterAll(() => room.stop());

test("the door and the empty wall", async ({ browser }) => {
  await expect(teacher.getByText("Nobody is here yet")).toBeVisible();
  expect(await left(teacher)).toEqual([]);
  await picture(teacher, "wall-empty");
  const stranger = await browser.newPage();
  await stranger.goto(`${room.address}/`);
  expect(await left(stranger)).toEqual([]);
  await picture(stranger, "join");
  await stranger.getByLabel("Language").selectOption({ label: "Deutsch" });
  await stranger.getByLabel("Dein Name").fill("Eve");
  await stranger.getByLabel("Code").fill("AAA-AAA");
  await stranger.getByRole("button", { name: "Hereinkommen" }).click();
  await expect(stranger.getByRole("alert")).toHaveText("Das ist nicht der Code dieser Klasse. Er steht am Projektor.");
  await expect(stranger.locator("html")).toHaveAttribute("lang", "de");
  await stranger.close();
});

test("the wall, a pupil on it, the projector and a hint", async ({ browser }) => {
  ada = await room.pupil(browser, "Ada");
  bob = await room.pupil(browser, "Bob");
  for (const page of [ada, bob]) {
    await write(page, key, wrong.code);
    await check(page, key);
    await expect(cell(page, key).locator(".verdict")).toContainText(wrong.sentence.replaceAll("`", ""));
  }
  await expect(teacher.getByRole("heading", { level: 2 })).toContainText("2 of 2 make the same mistake");
  expect(await left(teacher)).toEqual([]);
  await picture(teacher, "wall");
  await teacher.getByText("Marks").click();
  expect(await left(teacher, "details")).toEqual([]);
  await teacher.getByText("Marks").click();

  await teacher.getByRole("button", { name: "Send a hint to the 2" }).click();
  expect(await left(teacher, "dialog")).toEqual([]);
  await picture(teacher, "hint");
  await teacher.getByRole("textbox").fill("Addiere.");
  await teacher.getByRole("button", { name: "Send", exact: true }).click();

  await teacher.getByRole("rowheader").getByRole("button", { name: "Ada" }).click();
  await expect(teacher.getByRole("complementary", { name: "A pupil" })).toContainText("Ada");
  expect(await left(teacher, "aside header, aside form, aside .row")).toEqual([]);
  await picture(teacher, "wall-pupil");
  await teacher.getByRole("button", { name: "Show on the projector" }).first().click();

  const hall = await (await teacher.context().browser()!.newContext()).newPage();
  await hall.goto(room.projector);
  await expect(hall.getByRole("group", { name: "Your answer as a picture" })).toBeVisible();
  expect(await left(hall, "header, footer, .shown, .way")).toEqual([]);
  await picture(hall, "projector");
  await hall.close();
});

test("the strip above a pupil's lesson, and the feedback", async () => {
  expect(await left(ada, ".strip")).toEqual([]);
  await picture(ada, "strip");
  await ada.getByRole("button", { name: "Ask for help" }).click();
  expect(await left(ada, "dialog")).toEqual([]);
  await ada.keyboard.press("Escape");
  await teacher.getByRole("button", { name: "Freeze" }).click();
  await expect(ada.getByText("Look to the front")).toBeVisible();
  expect(await left(ada, "dialog")).toEqual([]);
  await teacher.getByRole("button", { name: "Go on" }).click();
  await expect(ada.getByText("Look to the front")).toBeHidden();
  await ada.getByRole("button", { name: "Hand in" }).click();
  expect(await left(ada, "dialog")).toEqual([]);
  await ada.getByRole("dialog").getByRole("button", { name: "Hand in" }).click();
  await expect(ada.getByRole("heading", { level: 1 })).toHaveText("Ada");
  expect(await left(ada)).toEqual([]);
  await picture(ada, "feedback");
});
