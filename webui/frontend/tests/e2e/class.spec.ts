/** A lesson held for three pupils: they join, err together, get a hint, are stopped, hand in; the server is killed. */
import { expect, type Page, test } from "@playwright/test";
import { LiveClass } from "./class";
import { tellCourse, type Told } from "./course";
import { cell, check, ready, write } from "./lesson";
import { hasServer, PYTHON } from "./python";

test.skip(!hasServer(), `${PYTHON} has no minigrad_webui: set PYTHON to one that has`);
test.describe.configure({ mode: "serial", timeout: 600_000 });
test.use({ reducedMotion: "reduce" });

const room = new LiveClass("2");
const course: Told[] = hasServer() ? tellCourse() : [];
const told = course[1];
const key = told ? Object.keys(told.solutions)[0]! : "";
const wrong = told?.mistakes[key]?.[0] ?? { sentence: "", code: "" };
let teacher: Page;
let ada: Page;
let bob: Page;
let cleo: Page;

/** Pictures to look at, where somebody asks for them. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS;
  if (!folder) return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const before = page.viewportSize()!;
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${size.width}.png` });
    }
    await page.setViewportSize(before);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

test.beforeAll(async ({ browser }) => {
  await room.start();
  teacher = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
});
test.afterAll(() => room.stop());

test("pupils join with a name and a code, and stand on the wall", async ({ browser }) => {
  await teacher.goto(room.wall);
  expect(teacher.url()).not.toContain("token");
  await expect(teacher.getByText("Nobody is here yet")).toBeVisible();
  await picture(teacher, "wall-empty");
  const stranger = await browser.newPage();
  await stranger.goto(`${room.address}/`);
  await picture(stranger, "join");
  await stranger.getByLabel("Your name").fill("Eve");
  await stranger.getByLabel("Code").fill("AAA-AAA");
  await stranger.getByRole("button", { name: "Come in" }).click();
  await expect(stranger.getByRole("alert")).toContainText("not the code");
  await stranger.close();
  ada = await room.pupil(browser, "Ada");
  bob = await room.pupil(browser, "Bob");
  cleo = await room.pupil(browser, "Cleo");
  await expect(teacher.getByRole("rowheader")).toContainText(["Ada", "Bob", "Cleo"]);
});

test("two with the same mistake are a group, and get a hint", async () => {
  await Promise.all(
    [ada, bob].map(async (page) => {
      await write(page, key, wrong.code);
      await check(page, key);
      await expect(cell(page, key).locator(".verdict")).toContainText(wrong.sentence.replaceAll("`", ""));
    }),
  );
  await expect(teacher.getByRole("heading", { level: 2 })).toContainText("2 of 3 make the same mistake");
  await picture(teacher, "wall");
  await teacher.getByRole("button", { name: "Show it on the projector" }).click();
  const hall = await (await teacher.context().browser()!.newContext()).newPage();
  await hall.goto(room.projector);
  const played = hall.getByRole("group", { name: "Your answer as a picture" });
  await expect(played).toContainText("Playing your answer");
  await expect(played.getByRole("img")).toBeVisible();
  await expect(hall.locator("main")).not.toContainText("Ada");
  await picture(hall, "projector-mistake");
  await hall.close();
  await teacher.getByRole("button", { name: "Send a hint to the 2" }).click();
  await teacher.getByRole("textbox").fill("Add, do not overwrite.");
  await teacher.getByRole("button", { name: "Send", exact: true }).click();
  for (const page of [ada, bob])
    await expect(page.getByRole("status").filter({ hasText: "Add, do not overwrite." })).toBeVisible();
  await expect(cleo.getByRole("region", { name: "Class" })).not.toContainText("Add,");
  await picture(ada, "pupil");
});

test("a pupil who is right is green, and the teacher opens their answer", async () => {
  await write(cleo, key, told!.solutions[key]!);
  await check(cleo, key);
  await expect(teacher.getByRole("button", { name: /^Cleo, .*: solved, 1 try/ })).toBeVisible();
  await teacher.getByRole("rowheader").getByRole("button", { name: "Ada" }).click();
  const panel = teacher.getByRole("complementary", { name: "A pupil" });
  await expect(panel.getByRole("heading", { level: 2 })).toHaveText("Ada");
  await expect(panel).toContainText(wrong.sentence);
  await picture(teacher, "wall-pupil");
  await panel.getByRole("button", { name: "Show on the projector" }).first().click();
});

test("the projector shows it to those with the viewer's link, who can change nothing", async ({ browser }) => {
  const hall = await (await browser.newContext()).newPage();
  await hall.goto(room.projector);
  await expect(hall.getByLabel("Answer", { exact: true })).toBeVisible();
  await expect(hall.locator("main")).not.toContainText("Ada");
  await picture(hall, "projector");
  const answer = await hall.request.post(`${room.address}/api/class/rule`, {
    data: { frozen: true },
    headers: { origin: room.address },
  });
  expect(answer.status()).toBe(401);
  await hall.close();
});

test("frozen, all look to the front; then they go on", async () => {
  await teacher.getByRole("button", { name: "Freeze" }).click();
  await expect(bob.getByText("Look to the front")).toBeVisible();
  await picture(bob, "frozen");
  await teacher.getByRole("button", { name: "Go on" }).click();
  await expect(bob.getByText("Look to the front")).toBeHidden();
});

test("a second tab takes the lesson over, and neither overwrites the other", async () => {
  const second = await ada.context().newPage();
  await second.goto(ada.url());
  await ready(second);
  await write(second, key, "# from the second tab");
  await expect(ada.getByText("Use it here")).toBeVisible();
  await write(ada, key, "# from the first tab");
  await second.reload();
  await ready(second);
  await expect(cell(second, key)).toContainText("# from the second tab");
  await second.close();
  await ada.getByRole("button", { name: "Use it here" }).click();
  await expect(cell(ada, key)).toContainText("# from the second tab");
});

test("the server is killed and comes back with everything", async () => {
  await room.kill();
  await expect(teacher.getByText("The class does not answer")).toBeVisible();
  await room.start();
  await expect(teacher.getByText("3 here")).toBeVisible();
  await expect(teacher.getByRole("button", { name: /^Cleo, .*: solved, 1 try/ })).toBeVisible();
  await expect(ada.getByRole("button", { name: "Run from the top" })).toBeEnabled();
  await write(ada, key, told!.solutions[key]!);
  await check(ada, key);
  await expect(cell(ada, key).locator("header").getByText("Passed")).toBeVisible();
});

test("a pupil hands in and reads the feedback", async () => {
  const panel = teacher.getByRole("complementary", { name: "A pupil" });
  await panel.getByLabel("Comment").fill("Well found.");
  await panel.getByRole("button", { name: "Keep" }).click();
  await expect(panel.getByRole("status")).toHaveText("Kept.");
  await ada.getByRole("button", { name: "Hand in" }).click();
  await ada.getByRole("dialog").getByRole("button", { name: "Hand in" }).click();
  await expect(ada.getByRole("heading", { level: 1 })).toHaveText("Ada");
  await expect(ada.locator("main")).toContainText("Well found.");
  await expect(ada.locator("main")).toContainText("1 of 4 points");
  await picture(ada, "feedback");
  await expect(teacher.getByText("handed in")).toBeVisible();
});
