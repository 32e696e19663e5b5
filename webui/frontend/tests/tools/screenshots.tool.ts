/** The gallery: pictures of the explorer, each with the sentence that says what it shows, and a page of them all. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { hasServer, ROOT } from "../e2e/python";
import { PICTURES, type Picture, SIZES } from "./pictures";

const FOLDER = join(ROOT, "webui", "pictures");
let tidyUp = (): void => undefined;

test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");
test.use({ reducedMotion: "reduce" });
test.afterEach(() => {
  tidyUp();
  tidyUp = () => undefined;
});

for (const picture of PICTURES)
  test(picture.name, async ({ page }) => {
    await page.setViewportSize(SIZES[picture.width]);
    await page.emulateMedia({ colorScheme: picture.theme, reducedMotion: "reduce" });
    await picture.show(page, (tidy) => (tidyUp = tidy));
    await expect(page.locator("html")).toHaveAttribute("data-idle", "true");
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(FOLDER, `${picture.name}.png`), animations: "disabled", caret: "hide" });
  });

const entry = ({ name, title, caption }: Picture): string => `## ${title}\n\n${caption}\n\n![${title}](${name}.png)\n`;

test("the page of them all", () => {
  mkdirSync(FOLDER, { recursive: true });
  const head = "# The explorer in pictures\n\nMade by `make screenshots` from recorded runs of real programs.\n";
  writeFileSync(join(FOLDER, "README.md"), [head, ...PICTURES.map(entry)].join("\n"));
});
