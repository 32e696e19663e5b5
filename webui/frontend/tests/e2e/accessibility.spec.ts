import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, press } from "./page";

test.use({ reducedMotion: "reduce" });

const VIEWS: [string, string][] = [
  ["the list of runs", ""],
  ["a scalar expression", "#run=scalar&sel=t1"],
  ["a matrix in the inspector", "#run=xor&step=3&sel=n3"],
  ["the gradients’ norms", "#run=xor&step=3&curves=norms"],
  ["the text tree", "#run=xor&step=3&tree=1"],
  ["a failed run", "#run=broken&sel=n1"],
];

for (const theme of ["light", "dark"] as const) {
  for (const [what, hash] of VIEWS) {
    test(`axe finds nothing serious in ${what}, ${theme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme });
      await open(page, hash);
      await expectClean(page);
    });
  }
}

test("axe finds nothing serious in the help", async ({ page }) => {
  await open(page, "#run=scalar");
  await press(page, "?");
  await expectClean(page);
});

async function expectClean(page: Parameters<typeof open>[0]): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  expect(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`)).toEqual([]);
}
