/** The kind of this page. The server serves all kinds from one index.html, under any path that a proxy adds. */
export type Page = { kind: "explorer" } | { kind: "ops" } | LessonPage | ClassPage;
export type LessonPage = { kind: "lessons" } | { kind: "lesson"; slug: string };
export type ClassPage = { kind: "join" } | { kind: "wall" } | { kind: "projector" } | { kind: "feedback" };

const OF_A_CLASS = ["join", "wall", "projector", "feedback"] as const;

/** `base` is the page's base address: the folder for relative addresses. */
export function pageOf(pathname: string, base: string): Page {
  const folder = new URL(".", base).pathname;
  const path = pathname.startsWith(folder) ? pathname.slice(folder.length) : "";
  if (path === "ops") return { kind: "ops" };
  if (path === "lessons") return { kind: "lessons" };
  const ofClass = OF_A_CLASS.find((kind) => kind === path);
  if (ofClass) return { kind: ofClass };
  const slug = /^lesson\/([\w-]+)$/.exec(path)?.[1];
  return slug ? { kind: "lesson", slug } : { kind: "explorer" };
}
