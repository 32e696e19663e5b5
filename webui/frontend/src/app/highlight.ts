/** Highlights Python: keywords, strings, numbers, comments. A pane of 20 lines needs no editor. */
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

/** Highlights all lines of a file. A triple-quoted string spans lines. */
export function highlightAll(lines: readonly string[]): Piece[][] {
  let quote: string | null = null;
  return lines.map((line) => {
    if (quote !== null) {
      const end = line.indexOf(quote);
      if (end < 0) return [{ text: line, kind: "string" }];
      const rest = line.slice(end + 3);
      quote = null;
      return [{ text: line.slice(0, end + 3), kind: "string" }, ...highlight(rest)];
    }
    const opened = /("""|''')(?!.*\1)/.exec(line.replace(/#.*$/, ""));
    const closedBefore = opened && line.slice(0, opened.index).includes(opened[1]!);
    if (opened && !closedBefore) quote = opened[1]!;
    return highlight(line);
  });
}

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
