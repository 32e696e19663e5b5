/** Embeds a recorded step in a web page or slide. */
import { readHash, writeHash } from "./url";

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** One line of HTML that shows `file` at this address, with the picture in full width above its player. */
export function embedded(file: string, hash: string, title: string): string {
  const view = writeHash({ ...readHash(hash), wide: true, tree: false });
  const src = escaped(`${encodeURIComponent(file)}${view}`);
  return `<iframe src="${src}" title="${escaped(title)}" width="960" height="600" style="border:0"></iframe>`;
}
