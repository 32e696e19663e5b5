/** Which page this is. The server shows them all from one index.html, under whatever path a proxy adds in front. */
export type Page = { kind: "explorer" } | { kind: "ops" } | { kind: "lessons" } | { kind: "lesson"; slug: string };

/** `base` is the page's base address: the folder it and everything beside it is found from. */
export function pageOf(pathname: string, base: string): Page {
  const folder = new URL(".", base).pathname;
  const path = pathname.startsWith(folder) ? pathname.slice(folder.length) : "";
  if (path === "ops") return { kind: "ops" };
  if (path === "lessons") return { kind: "lessons" };
  const slug = /^lesson\/([\w-]+)$/.exec(path)?.[1];
  return slug ? { kind: "lesson", slug } : { kind: "explorer" };
}
