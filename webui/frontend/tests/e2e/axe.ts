/** What axe says of a page. */
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { idle } from "./page";

/** All that the dark theme can change. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Expects that axe finds nothing in a part of the page or in all of it, in either theme. */
export async function expectClean(page: Page, part = "html"): Promise<void> {
  for (const theme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await idle(page);
    const axe = new AxeBuilder({ page }).include(part);
    if (theme === "dark") axe.withRules(OF_COLOURS);
    const { violations } = await axe.analyze();
    const told = violations.map((v) => `${theme}, ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
    expect(told).toEqual([]);
  }
}
