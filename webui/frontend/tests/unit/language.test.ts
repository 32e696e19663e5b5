import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LESSON_KEYS } from "../../src/lesson/keys";
import { GERMAN } from "../../src/lesson/languages/de";
import { SAID_IN_GERMAN } from "../../src/lesson/languages/de.said";
import { said } from "../../src/lesson/said";

const LESSON = new URL("../../src/lesson/", import.meta.url);
const sources = readdirSync(LESSON, { recursive: true })
  .map(String)
  .filter((file) => /\.(svelte|ts)$/.test(file) && !file.startsWith("languages"))
  .map((file): [string, string] => [file, readFileSync(new URL(file, LESSON), "utf-8")]);
const SAID = /\bt\(\s*"((?:[^"\\]|\\.)*)"|\bt\(\s*'([^']*)'/g;
const texts = sources.flatMap(([, text]) => [...text.matchAll(SAID)].map((found) => found[1] ?? found[2]!));
/** The names of a verdict's rows, and of the keys. */
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

test.each([
  ["2.0 instead of 3.0", "2.0 statt 3.0"],
  [
    "2.0 instead of 3.0; 2 of 4 elements differ, at [0][1]",
    "2.0 statt 3.0; 2 von 4 Elementen weichen ab, an der Stelle [0][1]",
  ],
  ["this is a list of 1, not a number", "das ist eine Liste mit 1, nicht eine Zahl"],
  ["the shape is (2,) and should be (2, 2)", "die Form ist (2,) und muss (2, 2) sein"],
  [
    "Stopped after 60 seconds, the longest a cell may run. Does a loop never end? What the cells had defined is gone: run from the top.",
    "Nach 60 Sekunden angehalten, länger darf eine Zelle nicht laufen. Endet eine Schleife nie? Was die Zellen definiert hatten, ist fort: Führe sie von oben aus.",
  ],
  ["A sentence that nobody translated.", "A sentence that nobody translated."],
])("the judge's %j is said in German", (english, german) => {
  expect(said(english, SAID_IN_GERMAN)).toBe(german);
});

test("the judge says every sentence that the German file knows", () => {
  const python = ["difference", "check", "judge", "sentences"]
    .map((file) => readFileSync(new URL(`../../../../minigrad/classroom/${file}.py`, LESSON), "utf-8"))
    .join("\n");
  const part = (english: string): string =>
    english
      .split(/\{\w+\}/)
      .map((each) => each.trim())
      .sort((a, b) => b.length - a.length)[0]!;
  const JOINED =
    /^a (list|tuple|tensor) of|^there (is|are) \{found\} value|^all of it is|^\{found\} is too|^\{words\}, at/;
  for (const english of Object.keys(SAID_IN_GERMAN))
    if (!JOINED.test(english))
      expect(python.replace(/\s+/g, " ")).toContain(part(english).replace(/ Does a loop never end\?$/, ""));
});
