/**
 * Writes src/protocol/generated.ts from the JSON schema that protocol.py prints; `--check` only compares.
 *
 * Python is taken from $PYTHON, else python3; it needs pydantic.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const source = fileURLToPath(new URL("../../minigrad_webui/protocol.py", import.meta.url));
const target = fileURLToPath(new URL("../src/protocol/generated.ts", import.meta.url));
const python = process.env.PYTHON ?? "python3";

function readSchema() {
  try {
    return JSON.parse(execFileSync(python, [source], { encoding: "utf8" }));
  } catch (error) {
    console.error(`Asked ${python} for the schema in ${source}; it failed:\n${error.message}`);
    console.error("Set PYTHON to an interpreter that has pydantic, then run this again.");
    process.exit(1);
  }
}

/** pydantic titles every property, which would make an alias for each of them. */
function dropPropertyTitles(node) {
  if (Array.isArray(node)) return node.map(dropPropertyTitles);
  if (node === null || typeof node !== "object") return node;
  const out = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "title" && typeof value === "string") continue;
    out[key] = dropPropertyTitles(value);
  }
  return out;
}

/** `type` is always there, so that the unions can be told apart; fields of a newer version are not our business. */
function settle(definitions) {
  const out = {};
  for (const [name, model] of Object.entries(definitions)) {
    const clean = dropPropertyTitles(model);
    const required = clean.properties.type ? ["type", ...(clean.required ?? [])] : clean.required;
    out[name] = { ...clean, required, additionalProperties: false };
  }
  return out;
}

const definitions = settle(readSchema().$defs);
const root = {
  title: "Wire",
  description: "Everything that is sent; only here so that one file holds all types.",
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/$defs/${name}` }])),
  $defs: definitions,
};
const banner = "/* Generated from minigrad_webui/protocol.py by `npm run protocol`. Do not edit. */";
const text = await compile(root, "Wire", {
  bannerComment: banner,
  style: { printWidth: 120, semi: true, singleQuote: false },
});

if (process.argv.includes("--check")) {
  const found = readFileSync(target, "utf8");
  if (found !== text) {
    console.error("src/protocol/generated.ts is stale: protocol.py has changed. Run `npm run protocol` and commit it.");
    process.exit(1);
  }
  console.log("src/protocol/generated.ts is what protocol.py says.");
} else {
  writeFileSync(target, text);
  console.log(`wrote ${target}`);
}
