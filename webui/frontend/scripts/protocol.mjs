/**
 * Writes TypeScript types from the JSON schemas that the Python models print; `--check` only compares.
 *
 * Python is taken from $PYTHON, else python3; it needs pydantic.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const PAIRS = [
  ["minigrad_webui.protocol", "src/protocol/generated.ts"],
  ["minigrad_webui.lessons.protocol", "src/lesson/generated.ts"],
  ["minigrad_webui.classroom.protocol", "src/class/generated.ts"],
];
const python = process.env.PYTHON ?? "python3";
const packages = ["../..", "../../.."].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const env = { ...process.env, PYTHONPATH: packages.join(delimiter) };

function readSchema(module) {
  try {
    return JSON.parse(execFileSync(python, ["-m", module], { encoding: "utf8", env }));
  } catch (error) {
    console.error(`Asked ${python} for the schema of ${module}; it failed:\n${error.message}`);
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

/** What tells the members of a union apart is always there; fields of a newer version are not our business. */
function settle(definitions) {
  const out = {};
  for (const [name, model] of Object.entries(definitions)) {
    const clean = dropPropertyTitles(model);
    const tags = ["type", "kind"].filter((tag) => clean.properties[tag]?.const);
    const required = [...tags, ...(clean.required ?? [])];
    out[name] = { ...clean, required, additionalProperties: false };
  }
  return out;
}

/** Unions over some of the types, and constants: a list of kinds that a hand would forget to complete. */
function besides({ unions = {}, constants = {} }) {
  const types = Object.entries(unions).map(
    ([name, members]) => `export type ${name} =\n  | ${members.join("\n  | ")};\n`,
  );
  const values = Object.entries(constants).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`,
  );
  return [...types, ...values].join("\n");
}

async function typesOf(name) {
  const schema = readSchema(name);
  const definitions = settle(schema.$defs);
  const root = {
    title: "Wire",
    description: "Everything that is sent; only here so that one file holds all types.",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: definitions,
  };
  const bannerComment = `/* Generated from ${name} by \`npm run protocol\`. Do not edit. */`;
  const style = { printWidth: 120, semi: true, singleQuote: false };
  return [await compile(root, "Wire", { bannerComment, style }), besides(schema)].filter(Boolean).join("\n");
}

for (const [name, path] of PAIRS) {
  const target = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const text = await typesOf(name);
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
    console.log(`wrote ${path}`);
  } else if (readFileSync(target, "utf8") === text) {
    console.log(`${path} is what ${name} says.`);
  } else {
    console.error(`${path} is stale: ${name} has changed. Run \`npm run protocol\` and commit it.`);
    process.exit(1);
  }
}
