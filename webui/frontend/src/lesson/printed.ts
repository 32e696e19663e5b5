/** What a cell printed, as a terminal would show it: pieces of text, each from one of the two streams. */
export interface Piece {
  stream: "stdout" | "stderr";
  text: string;
}

/** So many characters are shown of one cell; what comes first and what comes last says most. */
export const SHOWN = 60_000;

// Colours and cursor movements; only carriage returns are obeyed.
// eslint-disable-next-line no-control-regex
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g;

/** Adds text at the end. Neighbours of one stream become one piece; a carriage return overwrites its line. */
export function printed(pieces: readonly Piece[], stream: Piece["stream"], text: string): Piece[] {
  const last = pieces.at(-1);
  const joined = last?.stream === stream ? last.text + text : text;
  const rest = last?.stream === stream ? pieces.slice(0, -1) : [...pieces];
  return [...rest, { stream, text: settled(joined.replace(ESCAPES, "")) }];
}

/** A line that was returned to its start shows what was written last; the newest return may still be overwritten. */
function settled(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => {
      const open = line.endsWith("\r") ? "\r" : "";
      return line.slice(line.lastIndexOf("\r", line.length - 1 - open.length) + 1, line.length - open.length) + open;
    })
    .join("\n");
}

/** The pieces as shown, and how many characters are left out in the middle. */
export function shown(pieces: readonly Piece[], bound = SHOWN): { pieces: Piece[]; leftOut: number } {
  const size = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  if (size <= bound) return { pieces: [...pieces], leftOut: 0 };
  const last = pieces.at(-1)!;
  const kept = last.text.slice(-bound);
  const from = kept.indexOf("\n") + 1;
  return { pieces: [{ stream: last.stream, text: kept.slice(from) }], leftOut: size - kept.length + from };
}
