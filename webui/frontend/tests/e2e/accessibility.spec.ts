import { test } from "@playwright/test";
import { expectClean } from "./axe";
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

for (const [what, hash] of VIEWS) {
  test(`axe finds nothing serious in ${what}`, async ({ page }) => {
    await open(page, hash);
    await expectClean(page);
  });
}

test("axe finds nothing serious in the help", async ({ page }) => {
  await open(page, "#run=scalar");
  await press(page, "?");
  await expectClean(page);
});
