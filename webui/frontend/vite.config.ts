import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { fixtureServer } from "./fixtures/server";
import { licences } from "./scripts/licences";

const licence = licences();

/** Every browser that can run the app reads woff2; KaTeX's other font formats would only make the wheel larger. */
function onlyWoff2(): Plugin {
  return {
    name: "only-woff2",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("katex") || !id.endsWith(".css")) return null;
      return code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'](?:woff|truetype)["']\)/g, "");
    },
  };
}

/** The page that needs no server carries one script: the explorer's own must not ask for others before it begins. */
function oneScript(): Plugin {
  return {
    name: "one-script",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === "chunk" && chunk.isEntry && chunk.imports.length > 0)
          this.error(
            `${chunk.fileName} imports ${chunk.imports.join(", ")}: import what those share in one place only.`,
          );
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [onlyWoff2(), svelte(), fixtureServer(), licence.main, oneScript()],
  build: {
    outDir: "../minigrad_webui/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  worker: { format: "es", plugins: () => [licence.worker()] },
  // A slow machine passes too: only the benchmarks time.
  test: { include: ["tests/unit/**/*.test.ts"], environment: "node", testTimeout: 60_000, hookTimeout: 60_000 },
});
