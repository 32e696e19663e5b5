/** Python in colours: keywords, strings, numbers, comments. A pane of 20 lines needs no editor. */
export interface Piece {
  text: string;
  kind: "plain" | "keyword" | "string" | "number" | "comment" | "call";
}

const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield None True False match case"
  ).split(" "),
);

const PATTERN =
  /(#.*$)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|[rbfu]{0,2}"(?:\\.|[^"\\])*"?|[rbfu]{0,2}'(?:\\.|[^'\\])*'?)|\b(\d[\d_.]*(?:e[-+]?\d+)?)\b|\b([A-Za-z_]\w*)\b(\s*\()?/g;

export function highlight(line: string): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  const push = (text: string, kind: Piece["kind"]): void => {
    if (text !== "") out.push({ text, kind });
  };
  for (const match of line.matchAll(PATTERN)) {
    push(line.slice(at, match.index), "plain");
    const [text, comment, string, numeral, word, bracket] = match;
    if (comment) push(comment, "comment");
    else if (string) push(string, "string");
    else if (numeral) push(numeral, "number");
    else {
      push(word!, KEYWORDS.has(word!) ? "keyword" : bracket ? "call" : "plain");
      push(bracket ?? "", "plain");
    }
    at = match.index + text.length;
  }
  push(line.slice(at), "plain");
  return out;
}
