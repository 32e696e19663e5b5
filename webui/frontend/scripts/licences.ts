import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** What a package's own licence file does not say of the things compiled into it. */
const COMPILED_IN: Record<string, string> = {
  "@hpcc-js/wasm-graphviz":
    "Contains Graphviz, compiled to WebAssembly: Eclipse Public License, https://graphviz.org/license/; " +
    "its source: https://gitlab.com/graphviz/graphviz. Contains Expat: MIT licence, https://libexpat.github.io.",
};

/** The folder of the package that a module comes from, undefined for our own modules. */
export function packageOf(id: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id.replace(/^\0/, "").split("?")[0] ?? "")?.[0];
}

/** One package's name, version, licence and the licence's text. */
export function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying|ofl)/i.test(each));
  if (!name || !license || !file) throw new Error(`${folder} is bundled but has no licence file`);
  const extra = COMPILED_IN[name];
  const text = readFileSync(join(folder, file), "utf8").trim();
  return [`${name} ${version ?? ""} (${license})`, ...(extra ? [extra] : []), "", text].join("\n");
}

/** Writes the licences of all packages that went into the bundle to third-party-licences.txt. */
export function licences(): { main: Plugin; worker: () => Plugin } {
  const folders = new Set<string>();
  const collect = (_code: string, id: string) => {
    const folder = packageOf(id);
    if (folder && existsSync(join(folder, "package.json"))) folders.add(folder);
    return null;
  };
  return {
    main: {
      name: "licences",
      apply: "build",
      transform: collect,
      generateBundle() {
        const notices = [...folders].map(noticeOf).sort();
        const source = `The explorer contains these packages.\n\n${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
        this.emitFile({ type: "asset", fileName: "third-party-licences.txt", source });
      },
    },
    worker: () => ({ name: "licences-of-workers", apply: "build", transform: collect }),
  };
}
