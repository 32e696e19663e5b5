/** The table of features names tests that exist. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const rows = readFileSync("FEATURES.md", "utf8")
  .split("\n")
  .filter((line) => /^\| (\d+|curves|overlay|explain|touch|tour|runs|ops|ranks|german|corpus) +\|/.test(line))
  .map((line) => ({ name: line.split("|")[1]!.trim(), line }));

describe("the table of features", () => {
  it("has all twenty-five, and what comes with them", () => {
    const numbers = Array.from({ length: 25 }, (_, i) => String(i + 1));
    expect(rows.map((row) => row.name)).toEqual([
      ...numbers,
      "curves",
      "overlay",
      "explain",
      "touch",
      "tour",
      "runs",
      "ops",
      "ranks",
      "german",
      "corpus",
    ]);
  });

  for (const { name, line } of rows)
    it(`names tests for ${name} that are there`, () => {
      const parts = [...line.matchAll(/\[\w+\]\((tests\/[\w./-]+)\): ((?:`[^`]+`(?:, )?)+)/g)];
      expect(parts.length).toBeGreaterThan(0);
      for (const [, file, titles] of parts) {
        const text = readFileSync(file!, "utf8");
        for (const [, title] of titles!.matchAll(/`([^`]+)`/g))
          expect(
            ['"', "`", "'"].some((quote) => text.includes(`(${quote}${title}${quote}`)),
            title,
          ).toBe(true);
      }
    });
});
