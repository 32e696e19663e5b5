/** Sentences that come from the server, such as a verdict's words, in the language of the page. */
type Template = { pattern: RegExp; names: string[]; said: string };

const compiled = new Map<Record<string, string>, Template[]>();

function templates(table: Record<string, string>): Template[] {
  const known = compiled.get(table);
  if (known) return known;
  const made = Object.entries(table).map(([english, said]) => {
    const names = [...english.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!);
    const parts = english.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return { pattern: new RegExp(`^${parts.join("(.*?)")}$`, "s"), names, said };
  });
  compiled.set(table, made);
  return made;
}

/** The text by the first template that fits it, its blanks by the same rule; a text that none fits stays as it is. */
export function said(text: string, table: Record<string, string>): string {
  for (const { pattern, names, said: words } of templates(table)) {
    const found = pattern.exec(text);
    if (!found) continue;
    const blanks = new Map(names.map((name, at) => [name, said(found[at + 1]!, table)]));
    return words.replace(/\{(\w+)\}/g, (_, name: string) => blanks.get(name) ?? "");
  }
  return text;
}
