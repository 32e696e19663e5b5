/** A cell's output, as a terminal would show it. */

/** How many characters of one cell's output to show, from the end. */
export const SHOWN = 60_000;

// Colours and cursor movements; only carriage returns are obeyed.
// eslint-disable-next-line no-control-regex
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g;

/** Adds text at the end; a carriage return overwrites its line. */
export const printed = (before: string, text: string): string => settled((before + text).replace(ESCAPES, ""));

/** After a carriage return, a line shows what was written last. The newest return may still be overwritten. */
function settled(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => {
      const open = line.endsWith("\r") ? "\r" : "";
      const shown = open ? line.slice(0, -1) : line;
      return shown.slice(shown.lastIndexOf("\r") + 1) + open;
    })
    .join("\n");
}

/** The visible end of a text, in whole lines, and how many characters before it are left out. */
export function newest(text: string, bound = SHOWN): { text: string; leftOut: number } {
  if (text.length <= bound) return { text, leftOut: 0 };
  const kept = text.slice(-bound);
  const from = kept.indexOf("\n") + 1;
  return { text: kept.slice(from), leftOut: text.length - kept.length + from };
}
