/** The tests' actions on the page, in words. No test sleeps: the page says when it is idle. */
import { expect, type Page } from "@playwright/test";

export async function idle(page: Page): Promise<void> {
  await page.waitForSelector('html[data-idle="true"]');
}

/** Opens an address, or a view of the fixture server by its hash. */
export async function open(page: Page, hash: string): Promise<void> {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(/^\w+:/.test(hash) ? hash : `./${hash}`);
  await idle(page);
  expect(errors).toEqual([]);
}

export async function press(page: Page, key: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
  await idle(page);
}

export const event = (page: Page): Promise<string> => page.locator("footer .now b").innerText();

/** The place of an item on the screen, in the pane's own pixels; null where there is none yet. */
export const rectOf = (page: Page, key: string) =>
  page.evaluate((k) => window.minigradExplorer?.rectOf(k) ?? null, key);

export async function clickItem(page: Page, key: string): Promise<void> {
  const rect = (await rectOf(page, key))!;
  const pane = (await page.locator(".pane").boundingBox())!;
  await page.mouse.click(pane.x + rect.x + rect.w / 2, pane.y + rect.y + 12);
  await idle(page);
}

/** A number that changes when a single pixel of the picture does. */
export const picture = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".pane canvas")!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (const byte of data) hash = (Math.imul(hash, 31) + byte) | 0;
    return hash;
  });

/** The camera leaves a box where it is if only its border is cut off. */
const BORDER = 1;

/** Whether the whole of a card is in the pane. */
export async function inSight(page: Page, key: string): Promise<boolean> {
  const rect = await rectOf(page, key);
  const pane = (await page.locator(".pane").boundingBox())!;
  if (rect === null) return false;
  const [right, bottom] = [pane.width - rect.x - rect.w, pane.height - rect.y - rect.h];
  return Math.min(rect.x, rect.y, right, bottom) >= -BORDER;
}
