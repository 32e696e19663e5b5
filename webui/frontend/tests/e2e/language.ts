/** Everything that can be read on a page, in English and in German: what is the same in both is not translated. */
import type { Page } from "@playwright/test";
import { idle } from "./page";

export const STORED = "minigrad.language";

/** Chooses a language as a person does; also behind a dialog, which no click would reach. */
export async function choose(page: Page, language: "en" | "de"): Promise<void> {
  await page.evaluate((wanted) => {
    const select = document.querySelector<HTMLSelectElement>(".language select")!;
    select.value = wanted;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }, language);
  await idle(page);
}

/** The texts and the spoken names that are in sight within these elements; code and formulas are in no language. */
export const readable = (page: Page, within: string): Promise<string[]> =>
  page.evaluate((selector) => {
    const CODE = "code, pre, kbd, .katex, .cm-editor, option, .language";
    const SPOKEN = ["title", "aria-label", "aria-valuetext", "placeholder", "alt"];
    const found = new Set<string>();
    const add = (text: string | null): void => {
      const plain = (text ?? "").replace(/\s+/g, " ").trim();
      if (/\p{L}{2}/u.test(plain)) found.add(plain);
    };
    for (const root of document.querySelectorAll(selector)) {
      for (const element of [root, ...root.querySelectorAll("*")]) {
        if (element.closest(CODE) || !element.checkVisibility()) continue;
        for (const name of SPOKEN) add(element.getAttribute(name));
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) add(node.textContent);
      }
    }
    return [...found];
  }, within);

/** The texts in sight that choosing German leaves as they are, but for names; the page is in English before and after. */
export async function leftInEnglish(page: Page, names: RegExp, within = "body"): Promise<string[]> {
  await idle(page);
  const english = new Set(await readable(page, within));
  await choose(page, "de");
  const german = await readable(page, within);
  await choose(page, "en");
  return german.filter((text) => english.has(text) && !names.test(text));
}
