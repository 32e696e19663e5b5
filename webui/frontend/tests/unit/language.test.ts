import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LESSON_KEYS } from "../../src/lesson/keys";
import { GERMAN } from "../../src/lesson/languages/de";

const LESSON = new URL("../../src/lesson/", import.meta.url);
const sources = readdirSync(LESSON, { recursive: true })
  .map(String)
  .filter((file) => /\.(svelte|ts)$/.test(file) && !file.startsWith("languages"))
  .map((file): [string, string] => [file, readFileSync(new URL(file, LESSON), "utf-8")]);
const SAID = /\bt\(\s*"((?:[^"\\]|\\.)*)"|\bt\(\s*'([^']*)'/g;
const texts = sources.flatMap(([, text]) => [...text.matchAll(SAID)].map((found) => found[1] ?? found[2]!));
/** What the rows of a verdict are called, and what the keys do: these are said by name. */
const NAMED = ["called", "expected", "came back", "printed", "at", ...LESSON_KEYS.map((each) => each[1])];

test("every text of the lesson pages is there in German, and nothing else", () => {
  expect(texts.length).toBeGreaterThan(100);
  expect([...new Set([...texts, ...NAMED])].sort()).toEqual(Object.keys(GERMAN).sort());
});

test("a translation has the blanks of its original", () => {
  const blanks = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [english, german] of Object.entries(GERMAN))
    expect([...new Set(blanks(german))]).toEqual([...new Set(blanks(english))]);
});

test.each(sources.filter(([file]) => file.endsWith(".svelte")))("no text of %s is left in English", (_, text) => {
  const markup = text
    .replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "")
    .replace(/\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}/g, "");
  const left = [...markup.matchAll(/>([^<>]*[A-Za-z]{3}[^<>]*)</g)].map((found) => found[1]!.trim());
  const spoken = [...markup.matchAll(/\s(?:title|aria-label|placeholder|label)="([^"]*[a-z]{3}[^"]*)"/g)].map(
    (f) => f[1]!,
  );
  const NAMES = /^(grad|mini|minigrad serve|starts it\.|minigrad serve starts it\.)$/;
  expect([...left, ...spoken].filter((each) => !NAMES.test(each) && !each.includes("=>"))).toEqual([]);
});
