import { describe, expect, test } from "vitest";
import { pageOf } from "../../src/app/page";
import { finished, nextUp } from "../../src/lesson/course";
import type { Card } from "../../src/lesson/generated";
import { renderMarkdown } from "../../src/lesson/markdown";
import { type Standing, staleKeys, wanted } from "../../src/lesson/order";
import { newest, printed } from "../../src/lesson/printed";
import { minutes, plain, readNumber, seconds } from "../../src/lesson/words";

describe("which page it is", () => {
  test.each([
    ["/", "http://h/", { kind: "explorer" }],
    ["/lessons", "http://h/lessons", { kind: "lessons" }],
    ["/lesson/01-one", "http://h/", { kind: "lesson", slug: "01-one" }],
    ["/user/ada/proxy/8642/lessons", "http://h/user/ada/proxy/8642/lessons", { kind: "lessons" }],
    ["/user/ada/lesson/01-one", "http://h/user/ada/", { kind: "lesson", slug: "01-one" }],
    ["/lesson/a/b", "http://h/", { kind: "explorer" }],
    ["/home/ada/replay.html", "file:///home/ada/replay.html", { kind: "explorer" }],
  ])("%s", (path, base, page) => expect(pageOf(path, base)).toEqual(page));
});

describe("cells", () => {
  const cells = (...told: [ran: string | null, at: number][]): Standing[] =>
    told.map(([ran, at], i) => ({ key: `c${i}`, code: "x", ran, at }));

  test("nothing is stale while cells run in their order", () => {
    expect(staleKeys(cells(["x", 1], ["x", 2], [null, 0]))).toEqual(new Set());
  });
  test("a cell that was run again makes those below stale", () => {
    expect(staleKeys(cells(["x", 3], ["x", 2], [null, 0]))).toEqual(new Set(["c1"]));
  });
  test("an edited cell is stale, and so are those below", () => {
    expect(staleKeys(cells(["old", 1], ["x", 2]))).toEqual(new Set(["c0", "c1"]));
  });
  test("what was not run above a cell is run first, and what was changed", () => {
    expect(wanted(cells(["x", 1], [null, 0], ["old", 2], [null, 0]), "c3")).toEqual(["c1", "c2", "c3"]);
    expect(wanted(cells(["x", 1], ["x", 2]), "c1")).toEqual(["c1"]);
  });
});

describe("what is printed", () => {
  test("a carriage return overwrites its line", () => {
    expect(printed(printed("", "epoch 1\repoch 2\r"), "epoch 3\ndone")).toBe("epoch 3\ndone");
    expect(printed("", "a\r\nb")).toBe("a\nb");
  });
  test("colours are left out", () => expect(printed("", "\x1b[31mred\x1b[0m")).toBe("red"));
  test("of very much the newest whole lines are shown", () => {
    expect(newest("one\ntwo\nthree", 9)).toEqual({ text: "three", leftOut: 8 });
    expect(newest("short")).toEqual({ text: "short", leftOut: 0 });
  });
});

describe("text", () => {
  test("formulas stand between dollar signs that hug them", () => {
    expect(renderMarkdown("It is $x^2$.")).toContain("katex");
    expect(renderMarkdown("It costs $5 or $6.")).not.toContain("katex");
    expect(renderMarkdown("$$\n\\frac{a}{b}\n$$")).toContain("katex-display");
    expect(renderMarkdown("- a list\n\n  $$x$$")).toContain("katex-display");
    expect(renderMarkdown("`$x$`")).not.toContain("katex");
  });
  test("HTML is shown and not obeyed, and no link runs a script", () => {
    expect(renderMarkdown("<img src=x onerror=alert(1)>")).not.toContain("<img");
    expect(renderMarkdown("[x](javascript:alert(1))")).not.toContain("href");
    expect(renderMarkdown("$\\href{javascript:alert(1)}{x}$")).not.toContain('href="javascript');
  });
  test("a link to a lesson's file leads to its page", () => {
    expect(renderMarkdown("[6](06-a-line-that-learns.py)")).toContain('href="lesson/06-a-line-that-learns"');
  });
});

describe("words", () => {
  test("numbers may be typed as people type them", () => {
    expect(["1.5", " -2 ", "1,5", "−3", ".5", "1e-3"].map(readNumber)).toEqual([1.5, -2, 1.5, -3, 0.5, 0.001]);
    expect(["", "x", "1.2.3", "1,234,567", "0x10", "Infinity"].map(readNumber)).toEqual(Array(6).fill(null));
  });
  test("times are short", () => {
    expect([0.01, 1.26, 42.4].map(seconds)).toEqual(["no time", "1.3 s", "42 s"]);
    expect([45, 120, 135].map(minutes)).toEqual(["45 min", "2 h", "2 h 15 min"]);
    expect(plain(-0.1 - 0.2)).toBe("−0.3");
  });
});

describe("the course", () => {
  const card = (number: number, passed: number, exercises = 2, touched = passed > 0): Card => ({
    ...{ slug: `${number}`, number, title: "", goal: "", minutes: 30, fast: false },
    ...{ passed, exercises, touched },
  });
  test("a lesson is finished when all its exercises are passed", () => {
    expect([card(1, 1), card(1, 2), card(1, 0, 0), card(1, 0, 0, true)].map(finished)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
  test("one goes on where one was, else with the first that is open", () => {
    expect(nextUp([card(1, 2), card(2, 0), card(3, 1)])?.number).toBe(3);
    expect(nextUp([card(1, 2), card(2, 0), card(3, 0)])?.number).toBe(2);
    expect(nextUp([card(1, 2)])).toBeNull();
  });
});
