/** CodeMirror for lessons: Python, two themes through CSS variables, and marks on lines. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension, Prec, type Range, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  type KeyBinding,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.62", overflowX: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px 0 8px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--dim)", border: "none", fontSize: "11px" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 10px", minWidth: "34px", lineHeight: "21px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--value) 7%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--value) 24%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--saved) 22%, transparent)", outline: "none" },
  ".cm-todo": { backgroundColor: "var(--highlight)", boxShadow: "inset 3px 0 0 var(--gradient)" },
  ".cm-wrong": {
    backgroundColor: "color-mix(in srgb, var(--error) 13%, transparent)",
    boxShadow: "inset 3px 0 0 var(--error)",
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--saved-ink)" },
  { tag: [tags.bool, tags.null, tags.self], color: "var(--saved-ink)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--leaf-ink)" },
  { tag: [tags.number], color: "var(--value-ink)" },
  { tag: [tags.comment], color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], fontWeight: "600" },
]);

/** The placeholder where a learner is to write. */
export const PLACEHOLDER = "...  # your code here";

const wrongLine = StateEffect.define<number | null>();

const marks = StateField.define<{ wrong: number | null; set: DecorationSet }>({
  create: (state) => ({ wrong: null, set: decorate(state, null) }),
  update(value, transaction) {
    let { wrong } = value;
    if (transaction.docChanged) wrong = null;
    for (const effect of transaction.effects) if (effect.is(wrongLine)) wrong = effect.value;
    return wrong === value.wrong && !transaction.docChanged
      ? value
      : { wrong, set: decorate(transaction.state, wrong) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.set),
});

function decorate({ doc }: EditorState, wrong: number | null): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (let n = 1; n <= doc.lines; n++) {
    const line = doc.line(n);
    if (n === wrong) found.push(Decoration.line({ class: "cm-wrong" }).range(line.from));
    else if (line.text.includes(PLACEHOLDER)) found.push(Decoration.line({ class: "cm-todo" }).range(line.from));
  }
  return Decoration.set(found);
}

export interface Options {
  code: string;
  label: string;
  readonly?: boolean;
  keys: KeyBinding[];
  changed(code: string): void;
}

export function makeEditor(parent: HTMLElement, { code, label, readonly, keys, changed }: Options): EditorView {
  const writing: Extension[] = readonly
    ? [EditorState.readOnly.of(true)]
    : [history(), closeBrackets(), indentOnInput(), highlightActiveLine()];
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: code,
      extensions: [
        Prec.highest(keymap.of(keys)),
        ...writing,
        lineNumbers(),
        drawSelection(),
        bracketMatching(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        python(),
        syntaxHighlighting(colours),
        marks,
        theme,
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
}

/** Replaces the text, if it differs. */
export function setCode(view: EditorView, code: string): void {
  const now = view.state.doc.toString();
  if (now !== code) view.dispatch({ changes: { from: 0, to: now.length, insert: code } });
}

export const markLine = (view: EditorView, line: number | null): void =>
  view.dispatch({ effects: wrongLine.of(line !== null && line <= view.state.doc.lines ? line : null) });

/** Puts the cursor at the first non-blank character of a line. */
export function goToLine(view: EditorView, number: number): void {
  const line = view.state.doc.line(Math.max(1, Math.min(number, view.state.doc.lines)));
  view.dispatch({ selection: { anchor: line.from + /^\s*/.exec(line.text)![0].length }, scrollIntoView: true });
  view.focus();
}
