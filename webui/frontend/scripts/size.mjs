/** Fails when the built front end is heavier than its bound: 1.6 MB gzipped, of which the second language takes 0.04. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const BOUND = 1.6 * 1024 * 1024;
const root = fileURLToPath(new URL("../../minigrad_webui/static", import.meta.url));

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const sizes = files.map((file) => [file.slice(root.length + 1), gzipSync(readFileSync(file)).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
const kib = (n) => `${(n / 1024).toFixed(0).padStart(6)} KiB`;
for (const [name, size] of sizes.sort((a, b) => b[1] - a[1]).slice(0, 6)) console.log(kib(size), name);
console.log(kib(total), `in all, gzipped; the bound is ${kib(BOUND).trim()}`);
if (total > BOUND) {
  console.error("The bundle is over its bound: find what came in, or split it off.");
  process.exit(1);
}
