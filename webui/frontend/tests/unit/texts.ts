/** Reads the texts of the interface out of the sources, as the compiler sees them: no spelling of a call escapes. */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "svelte/compiler";

const SOURCES = new URL("../../src/", import.meta.url);

interface Tree {
  type?: string;
  [field: string]: unknown;
}

/** The sources below these folders, or with these names, with their syntax trees. */
export function sourcesIn(...places: string[]): [file: string, tree: Tree][] {
  return readdirSync(SOURCES, { recursive: true })
    .map(String)
    .filter((file) => /\.(svelte|ts)$/.test(file) && places.some((place) => file === place || file.startsWith(place)))
    .sort()
    .map((file) => [file, treeOf(file, readFileSync(new URL(file, SOURCES), "utf-8"))]);
}

const treeOf = (file: string, text: string): Tree =>
  parse(file.endsWith(".svelte") ? text : `<script lang="ts">\n${text}\n</script>`, {
    modern: true,
  }) as unknown as Tree;

/** Everything in a tree, outer before inner. */
function* within(tree: unknown): Generator<Tree> {
  if (Array.isArray(tree)) for (const each of tree as unknown[]) yield* within(each);
  else if (typeof tree === "object" && tree !== null) {
    if (typeof (tree as Tree).type === "string") yield tree as Tree;
    for (const [field, inner] of Object.entries(tree)) if (field !== "parent") yield* within(inner);
  }
}

/** The functions that hand texts over to the language's file, and which of their arguments those are. */
const HANDED: Record<string, [from: number, to: number]> = { t: [0, 1], english: [0, 1], counted: [1, 3] };

/** The texts that a source hands over; both of `t(one ? "a" : "b")`. */
export function textsIn(tree: Tree): string[] {
  const found: string[] = [];
  for (const { type, callee, arguments: given } of within(tree)) {
    const name = type === "CallExpression" ? (callee as Tree).name : undefined;
    if (typeof name !== "string" || !Object.hasOwn(HANDED, name)) continue;
    for (const one of (given as Tree[]).slice(...HANDED[name]!)) found.push(...literalsOf(one));
  }
  return found;
}

function literalsOf(tree: Tree): string[] {
  if (tree.type === "Literal" && typeof tree.value === "string") return [tree.value];
  if (tree.type === "ConditionalExpression")
    return [...literalsOf(tree.consequent as Tree), ...literalsOf(tree.alternate as Tree)];
  return [];
}

/** Attributes that are read out or shown. */
const SPOKEN = new Set([
  "title",
  "aria-label",
  "aria-valuetext",
  "aria-roledescription",
  "placeholder",
  "alt",
  "label",
]);

/** Words in the markup that no language file gets to see. */
export function bareIn(tree: Tree): string[] {
  const found: string[] = [];
  const look = (node: unknown, aside: boolean): void => {
    if (Array.isArray(node)) return node.forEach((each) => look(each, aside));
    if (typeof node !== "object" || node === null) return;
    const each = node as Tree;
    if (each.type === "Text" && !aside) found.push(String(each.data).trim());
    if (each.type === "Attribute" && SPOKEN.has(String(each.name)))
      for (const part of [each.value].flat() as Tree[]) if (part.type === "Text") found.push(String(part.data).trim());
    if (/^(Attribute|ExpressionTag|\w+Directive)$/.test(String(each.type))) return;
    const code = ["code", "kbd", "pre", "style"].includes(String(each.name));
    for (const inner of Object.values(each)) look(inner, aside || code);
  };
  look(tree.fragment, false);
  return found.filter((text) => /\p{L}{2}/u.test(text));
}

/** Strings of a source's code that read like a sentence, and that no language file gets to see. */
export function sentencesIn(tree: Tree): string[] {
  const found: string[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(look);
    if (typeof node !== "object" || node === null) return;
    const each = node as Tree;
    if (each.type === "CallExpression") {
      const name = String((each.callee as Tree).name);
      if (Object.hasOwn(HANDED, name)) return (each.arguments as Tree[]).slice(HANDED[name]![1]).forEach(look);
    }
    if (/^(ImportDeclaration|TSLiteralType|StyleSheet|\w+Directive)$/.test(String(each.type))) return;
    if (each.type === "Attribute" && !SPOKEN.has(String(each.name))) return look([each.value].flat().map(expressionOf));
    const text = each.type === "Literal" ? each.value : each.type === "TemplateElement" ? cooked(each) : null;
    if (typeof text === "string" && /\p{L}{2,} \p{Ll}{2,}/u.test(text)) found.push(text.trim());
    Object.values(each).forEach(look);
  };
  look(tree);
  return found;
}

const expressionOf = (part: unknown): unknown => (part as Tree | null)?.expression;
const cooked = (element: Tree): unknown => (element.value as { cooked: unknown }).cooked;
