/** A lesson's text: Markdown with formulas between dollar signs. HTML in it is shown as text. */
import katex from "katex";
import Markdown, { type MarkdownIt, type StateBlock, type StateInline } from "markdown-it";
import { t } from "../language/text";

const typeset = (latex: string, displayMode: boolean): string =>
  katex.renderToString(latex, { displayMode, throwOnError: false, strict: false, output: "htmlAndMathml" });

/** `$x$`, where the dollar signs hug what is between them and no digit follows: "$5 and $6" is no formula. */
function inlineFormula(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== "$" || src[pos + 1] === "$") return false;
  const found = /^\$(?!\s)((?:\\.|[^\\$])+?)(?<!\s)\$(?!\d)/.exec(src.slice(pos));
  if (!found) return false;
  if (!silent) state.push("formula", "", 0).content = found[1]!;
  state.pos += found[0].length;
  return true;
}

/** `$$ … $$` on lines of their own. */
function formulaBlock(state: StateBlock, from: number, to: number, silent: boolean): boolean {
  const line = (n: number): string => state.getLines(n, n + 1, state.blkIndent, false).trim();
  if (!line(from).startsWith("$$")) return false;
  const lines: string[] = [];
  let at = from;
  for (; at < to; at++) {
    lines.push(line(at));
    const text = lines.join("\n");
    if (text.length > 3 && text.endsWith("$$")) break;
  }
  if (at === to) return false;
  if (silent) return true;
  const token = state.push("formula_block", "", 0);
  token.content = lines.join("\n").slice(2, -2).trim();
  token.map = [from, at + 1];
  state.line = at + 1;
  return true;
}

/** Links to other lessons open their pages here; other links open in a new tab. */
function leadLinks(md: MarkdownIt): void {
  md.renderer.rules.link_open = (tokens, at, options, _env, renderer) => {
    const token = tokens[at]!;
    const href = String(token.attrGet("href") ?? "");
    const lesson = /(?:^|\/)(\d\d-[\w-]+)(?:\.py)?$/.exec(href);
    if (lesson) token.attrSet("href", `lesson/${lesson[1]}`);
    else if (/^https?:/.test(href)) {
      token.attrSet("target", "_blank");
      token.attrSet("rel", "noreferrer");
    }
    return renderer.renderToken(tokens, at, options);
  };
}

function make(): MarkdownIt {
  const md = new Markdown({ html: false, typographer: false });
  md.inline.ruler.before("escape", "formula", inlineFormula);
  md.block.ruler.before("paragraph", "formula_block", formulaBlock, { alt: ["paragraph", "blockquote", "list"] });
  md.renderer.rules.formula = (tokens, at) => typeset(tokens[at]!.content, false);
  md.renderer.rules.formula_block = (tokens, at) => `<div class="display">${typeset(tokens[at]!.content, true)}</div>`;
  // Wide tables scroll by themselves, also on a phone and by keyboard.
  md.renderer.rules.table_open = () => `<div class="wide" tabindex="0" role="group" aria-label="${t("Table")}"><table>`;
  md.renderer.rules.table_close = () => "</table></div>";
  leadLinks(md);
  return md;
}

const markdown = make();

export const renderMarkdown = (text: string): string => markdown.render(text);

/** The headings in a text, to which links may lead. */
export const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^##\s+(.+)$/gm)].map((found) => found[1]!.replace(/[`*_$]/g, "").trim());
