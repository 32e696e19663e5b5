import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("the scale of type", () => {
  const all = readdirSync("src", { recursive: true, encoding: "utf8" }).map((file) => `src/${file}`);
  const sheets = all.filter((file) => /\.(svelte|css)$/.test(file));

  it("has every size that a style sheet uses", () => {
    const own = sheets.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/font(?:-size)?:[^;{}]*?\d(?:px|rem|pt)[^;{}]*;/g)]
        .map(([rule]) => rule)
        .filter((rule) => !/^font: [\w -]*var\(--type-[a-z]+\)/.test(rule))
        .map((rule) => `${file}: ${rule}`),
    );
    expect(own).toEqual([]);
  });
});
