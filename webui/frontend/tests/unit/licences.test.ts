import { describe, expect, it } from "vitest";
import { noticeOf, packageOf } from "../../scripts/licences";

describe("the licences of what is bundled", () => {
  it("finds the package of a module, also of a scoped, nested or virtual one", () => {
    expect(packageOf("/a/node_modules/katex/dist/katex.mjs")).toBe("/a/node_modules/katex");
    expect(packageOf("/a/node_modules/@codemirror/view/dist/index.js?v=1")).toBe("/a/node_modules/@codemirror/view");
    expect(packageOf("/a/node_modules/x/node_modules/y/index.js")).toBe("/a/node_modules/x/node_modules/y");
    expect(packageOf("\0/a/node_modules/katex/k.js?commonjs-proxy")).toBe("/a/node_modules/katex");
    expect(packageOf("/a/src/main.ts")).toBeUndefined();
  });

  it("names the licence of what is compiled into a package beside the package's own", () => {
    const notice = noticeOf("node_modules/@hpcc-js/wasm-graphviz");
    expect(notice).toMatch(/^@hpcc-js\/wasm-graphviz [\d.]+ \(Apache-2.0\)/);
    expect(notice).toContain("Eclipse Public License");
  });

  it("refuses a package without a licence file", () => {
    expect(() => noticeOf("node_modules/katex/dist")).toThrow();
  });
});
