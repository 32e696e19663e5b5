/** The picture in the colours of a number, and what is chosen in words: by key, in the link, for screen readers. */
import { expect, type Page, test } from "@playwright/test";
import { idle, open, picture, press, rectOf } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

/** Mean colour of the left edge of a box, where nothing is written. */
async function colourOf(page: Page, key: string): Promise<[number, number, number]> {
  const rect = (await rectOf(page, key))!;
  return page.evaluate(({ x, y, h }) => {
    const canvas = document.querySelector<HTMLCanvasElement>(".pane canvas")!;
    const ratio = canvas.width / canvas.clientWidth;
    const at = [(x + 5) * ratio, (y + h / 2 - 2) * ratio].map(Math.round) as [number, number];
    const { data } = canvas.getContext("2d")!.getImageData(...at, 2, 2);
    return [data[0]!, data[1]!, data[2]!];
  }, rect);
}

const darkness = ([r, g, b]: number[]): number => 255 * 3 - r! - g! - b!;

test("a gradient that fades is seen at once: deep near the loss, pale and dashed far from it, with numbers and in the link", async ({
  page,
}) => {
  await open(page, recorded("run=vanishing&step=3&theme=light"));
  const plain = await picture(page);
  await press(page, "1");
  await press(page, "f");
  const legend = page.getByRole("region", { name: "Colour and width" });
  await expect(legend).toContainText("21 of 54 vanished");
  await expect(legend.locator(".tick")).toHaveText(["1e−11", "1e−7", "0.001", "10"]);
  expect(await picture(page)).not.toBe(plain);
  const shades = [];
  for (const key of ["n1", "n9", "n17", "n25"]) shades.push(darkness(await colourOf(page, key)));
  expect(shades).toEqual(shades.toSorted((a, b) => a - b));
  expect(shades.at(-1)! - shades[0]!).toBeGreaterThan(150);

  await expect(page).toHaveURL(/by=gradient/);
  await page.reload();
  await idle(page);
  await expect(legend.getByRole("button", { name: "gradient" })).toHaveAttribute("aria-pressed", "true");

  const coloured = await legend.innerText();
  await press(page, "Home");
  expect(await legend.innerText(), "the range is the step’s, at every moment of it").toBe(coloured);
  await press(page, "End");
  for (const [key, words] of Object.entries({ 2: "update to weight", 3: "bytes", 4: "time", 5: "not finite" })) {
    await press(page, key);
    await expect(legend.locator("b")).toHaveText(words);
  }
  await press(page, "0");
  await expect(legend).toHaveCount(0);
  await expect(page).not.toHaveURL(/by=/);
});

test("the text tree tells the same number, and what is chosen is explained where a screen reader hears it", async ({
  page,
}) => {
  await open(page, recorded("run=vanishing&step=3&by=gradient&tree=1&sel=n1"));
  const row = page.getByRole("tree").getByRole("treeitem", { selected: true });
  await expect(row.locator(".amount")).toHaveText("gradient norm1.8e−11");
  const words = await page.getByRole("complementary", { name: "Inspector" }).locator(".explain").innerText();
  expect(words).toContain("The gradient that arrived has norm 1.8e−11.");
  await expect(page.locator("[data-explained]")).toHaveText(words);
  await expect(page.locator("[data-explained]")).toHaveAttribute("aria-live", "polite");
});
