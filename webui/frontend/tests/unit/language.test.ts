import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLASS, SAID_IN_CLASS } from "../../src/language/de/class";
import { EXPLORER } from "../../src/language/de/explorer";
import { SAID_IN_EXPLORER } from "../../src/language/de/explorer.said";
import { LESSON } from "../../src/language/de/lesson";
import { SAID_IN_LESSON } from "../../src/language/de/lesson.said";
import { said } from "../../src/language/said";
import { counted, grouped, language, learn, speakAs, t, told } from "../../src/language/text";
import { messageTold } from "../../src/lesson/figure/verdict";
import { bareIn, sentencesIn, sourcesIn, textsIn } from "./texts";

/** What each file has the texts of; what the pages share stands in the explorer's, which is always there. */
const AREAS = [
  {
    file: "explorer",
    german: EXPLORER,
    places: ["app/", "model/", "ops/", "parts/", "protocol/", "render/", "views/", "main.ts"],
  },
  { file: "lesson", german: LESSON, places: ["lesson/"] },
  { file: "class", german: CLASS, places: ["class/"] },
];
const used = AREAS.map(({ places }) => new Set(sourcesIn(...places).flatMap(([, tree]) => textsIn(tree))));

test.each(AREAS.map((area, i) => ({ ...area, i })))(
  "every text of the $file is there in German, and nothing else",
  ({ german, i }) => {
    const earlier = new Set(used.slice(0, i).flatMap((texts) => [...texts]));
    const wanted = [...used[i]!].filter((text) => !earlier.has(text));
    expect(wanted.length).toBeGreaterThan(80);
    expect(wanted.filter((text) => !(text in german))).toEqual([]);
    expect(Object.keys(german).filter((text) => !wanted.includes(text))).toEqual([]);
  },
);

test.each(AREAS.map(({ german, file }) => [file, german] as const))(
  "a translation of the %s has the blanks of its original",
  (_, german) => {
    const blanks = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
    for (const [english, translated] of Object.entries(german))
      expect([english, blanks(translated)]).toEqual([english, blanks(english)]);
  },
);

/** Names, and what is written the same in any language. */
const NAMES =
  /^(grad|mini|minigrad serve|min|Aa|\/join( ·)?|ABC-234|tanh, matrix, softmax|−max · 0 · \+max|\.grad|‖grad‖|log)$/;
const pages = sourcesIn("class/", "lesson/", "ops/", "parts/", "views/").filter(([file]) => file.endsWith(".svelte"));

test.each(pages)("no text of %s is left in English", (_, tree) => {
  expect(bareIn(tree).filter((text) => !NAMES.test(text))).toEqual([]);
});

/** Strings of several words that nobody reads as a sentence of the interface, each for a reason. */
const NO_SENTENCE = [
  /^(and as assert|lambda nonlocal)/, // Python's keywords
  /^color-mix\(|^<(svg|iframe|div)|xmlns/, // CSS, SVG and HTML
  /^(minigrad (demo|run)|import minigrad|\.\.\. {2}# your code here)/, // what a person types
  /^(came back|needs help|home end|(only|another) \w+|no gradient|:graph of the gradient)$/, // values in code, with a text each
  /^The tile is not as long as it says\.$/, // an error of the program itself
];
/** Their authors read these, who write figures in English. */
const FIGURES = /^lesson\/figure\/(expression|program)\.ts$/;
const everything = AREAS.flatMap(({ places }) => sourcesIn(...places)).filter(([file]) => !FIGURES.test(file));

test.each(everything)("no sentence in the code of %s is left in English", (_, tree) => {
  expect(sentencesIn(tree).filter((text) => !NO_SENTENCE.some((known) => known.test(text)))).toEqual([]);
});

describe("in German", () => {
  const english = language();
  beforeAll(() => {
    learn("de", LESSON, SAID_IN_LESSON);
    learn("de", CLASS, SAID_IN_CLASS);
    learn("de", EXPLORER, SAID_IN_EXPLORER);
    speakAs(() => "de");
  });
  afterAll(() => speakAs(() => english));

  test("a text has its blanks filled in, and one of many is counted", () => {
    expect(t("{some} of {all} make the same mistake in", { some: 2, all: 3 })).toBe(
      "2 von 3 machen denselben Fehler in",
    );
    expect([1, 2].map((n) => counted(n, "{n} try", "{n} tries"))).toEqual(["1 Versuch", "2 Versuche"]);
    expect(grouped(13446)).toBe("13\u202f446");
  });

  test("a text that is not there is said in English, without what tells its meaning apart", () => {
    expect(t("Nobody translated {this}|verb", { this: "it" })).toBe("Nobody translated it");
  });

  test("the server's sentence is said by its template", () => {
    expect(told("Ada is here already. Add a letter to your name, or ask your teacher to let you back in.")).toMatch(
      /^Ada ist schon da\./,
    );
  });

  test("a check's message keeps its rows", () => {
    const message = "slope: not yet: 2.0 instead of 3.0\n  called     slope(f,\n             1)\n  came back  2.0";
    expect(messageTold(message)).toBe(
      "slope: noch nicht: 2.0 statt 3.0\n  Aufruf     slope(f,\n             1)\n  kam zurück 2.0",
    );
    speakAs(() => "en");
    expect(messageTold(message)).toBe(message);
    speakAs(() => "de");
  });
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
  expect(said(english, SAID_IN_LESSON)).toBe(german);
});

/** The longest part of a template between two blanks. */
const part = (english: string): string =>
  english
    .split(/\{\w+\}/)
    .map((each) => each.trim())
    .sort((a, b) => b.length - a.length)[0]!;

const python = (...files: string[]): string =>
  files
    .map((file) => readFileSync(new URL(`../../../../${file}.py`, import.meta.url), "utf-8"))
    .join("\n")
    .replace(/\s+/g, " ");

test("the judge says every sentence that the German file knows", () => {
  const judge = python(...["difference", "check", "judge", "sentences"].map((file) => `minigrad/classroom/${file}`));
  const JOINED =
    /^a (list|tuple|tensor) of|^there (is|are) \{found\} value|^all of it is|^\{found\} is too|^\{words\}, at/;
  for (const english of Object.keys(SAID_IN_LESSON))
    if (!JOINED.test(english)) expect(judge).toContain(part(english).replace(/ Does a loop never end\?$/, ""));
});

test("the class says every sentence that the German file knows", () => {
  const server = python(...["room", "routes"].map((file) => `webui/minigrad_webui/classroom/${file}`));
  for (const english of Object.keys(SAID_IN_CLASS)) expect(server).toContain(part(english));
});

test("the server, the recorder and the diagnosis say every sentence that the German file knows", () => {
  const OBSERVE = ["diagnosis", "record", "rerun"].flatMap((folder) =>
    readdirSync(new URL(`../../../../minigrad/observe/${folder}/`, import.meta.url)).map(
      (file) => `minigrad/observe/${folder}/${file}`,
    ),
  );
  const RUNS = readdirSync(new URL("../../../minigrad_webui/runs/", import.meta.url)).map(
    (file) => `webui/minigrad_webui/runs/${file}`,
  );
  const RULES = ["recurrent/lstm", "nn/normalisation"].map((file) => `minigrad/ops/${file}.py`);
  const files = [
    ...OBSERVE,
    ...RUNS,
    ...RULES,
    "webui/minigrad_webui/errors.py",
    "webui/minigrad_webui/op_reference.py",
  ];
  // Adjacent strings are one; each sentence as far as it has no blank.
  const said = python(...files.filter((file) => file.endsWith(".py")).map((file) => file.slice(0, -3))).replace(
    /" f?"/g,
    "",
  );
  const JOINED =
    /^ |^\{\w+\} (gets? gradients|made|never)|^One of the first steps|^The gradient of \{names\}|^The gradient (vanished|exploded):/;
  const unsaid = Object.keys(SAID_IN_EXPLORER).filter(
    (english) => !JOINED.test(english) && !said.includes(part(english)),
  );
  expect(unsaid).toEqual([]);
});

test.each([
  [
    "Log made 2,814 NaN of finite numbers. 2 of its 3 inputs are negative, down to -0.5; the logarithm of a negative number is not a number. In step 7.",
    "Log machte 2,814 NaN aus endlichen Zahlen. 2 seiner 3 Eingaben sind negativ, bis zu -0.5; der Logarithmus einer negativen Zahl ist keine Zahl. In Schritt 7.",
  ],
  [
    "w1, b1 and 3 more never have a gradient: no op takes them.",
    "w1, b1 und 3 weitere haben nie einen Gradienten: Keine Operation benutzt sie.",
  ],
  [
    "The ReLU in bend lets nothing through: all its units are 0 in all 5 steps looked at.",
    "Das ReLU in bend lässt nichts durch: Alle seine Einheiten sind 0 in allen 5 angesehenen Schritten.",
  ],
  ["ValueError: what no template knows", "ValueError: what no template knows"],
])("the diagnosis's %j is said in German", (english, german) => {
  expect(said(english, SAID_IN_EXPLORER)).toBe(german);
});
