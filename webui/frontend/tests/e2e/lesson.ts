/** A learner's actions on a lesson's page, in words. No test sleeps: the page says when it is idle. */
import { expect, type Locator, type Page } from "@playwright/test";
import { idle } from "./page";

export const cell = (page: Page, key: string): Locator => page.locator(`[data-cell="${key}"]`);

/** Opens a lesson's page and waits until cells can be run. */
export async function openLesson(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await ready(page);
}

export async function ready(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Run from the top" })).toBeEnabled();
  await idle(page);
}

/** Replaces the text of a cell, by keyboard. */
export async function write(page: Page, key: string, code: string): Promise<void> {
  await cell(page, key).locator(".cm-content").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(code);
}

export async function run(page: Page, key: string): Promise<void> {
  await cell(page, key).locator(".cm-content").first().focus();
  await page.keyboard.press("Shift+Enter");
  await settled(page);
}

export async function check(page: Page, key: string): Promise<void> {
  await cell(page, key).getByRole("button", { name: "Check" }).click();
  await settled(page);
}

export async function runAll(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run from the top" }).click();
  await settled(page);
}

/** Until nothing runs any more; a lesson may compute for a minute. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('html[data-idle="true"]', { timeout: 120_000 });
}

/** The keys of all cells that can be run, in their order. */
export const keys = (page: Page): Promise<string[]> =>
  page.locator("[data-cell]").evaluateAll((found) => found.map((one) => (one as HTMLElement).dataset.cell!));

export const statuses = (page: Page): Promise<string[]> =>
  page.locator("[data-status]").evaluateAll((found) => found.map((one) => (one as HTMLElement).dataset.status!));
