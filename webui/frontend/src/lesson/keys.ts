/** The keys on a lesson's page: its own, and the explorer's for the graph beside the text. */
import { handleKey } from "../app/keys";
import { english } from "../language/text";
import type GraphPane from "../views/graph/GraphPane.svelte";
import type { Desk } from "./desk.svelte";

export interface LessonActions {
  desk: Desk | null;
  graph(): ReturnType<typeof GraphPane> | null;
  step(direction: 1 | -1): void;
  help(): void;
  theme(): void;
  large(): void;
}

/** The keys in the help; in a cell, and around it. */
export const LESSON_KEYS: [shown: string, does: string][] = [
  ["⇧ ↵", english("in a cell: run it")],
  ["Ctrl ↵", english("in an exercise: check it")],
  ["Ctrl .", english("stop what runs")],
  ["Alt ↓", english("to the next cell")],
  ["Alt ↑", english("to the cell before")],
  ["esc, tab", english("leave a cell")],
  ["r", english("run from the top")],
  ["→ ←", english("the graph: next event, and back")],
  ["home end", english("the graph: before the first event, after the last")],
  ["[ ]", english("the graph: the step before, the next step")],
  ["e", english("the graph: fold or open what is selected (⇧ e: all)")],
  ["g", english("the graph: only the way of the gradient to what is selected")],
  ["n", english("the graph: to the first NaN, infinity or other trouble")],
  ["?", english("all keys")],
  ["d", english("dark or light")],
  ["⇧ p", english("large type, for a projector")],
];

/** Keys that scroll the text unless the graph has the focus. */
const SCROLLING = new Set([" ", "ArrowUp", "ArrowDown", "Enter"]);

/** Keys of the explorer for other runs, or for panels that a lesson does not show. */
const ELSEWHERE = new Set(["/", "c", "w", "l"]);

export function onKey(event: KeyboardEvent, actions: LessonActions): void {
  const { desk } = actions;
  const typing = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable=true]");
  if (event.key === "." && (event.ctrlKey || event.metaKey)) {
    desk?.interrupt();
    return event.preventDefault();
  }
  if (!typing && event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    actions.step(event.key === "ArrowDown" ? 1 : -1);
    return event.preventDefault();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "r" && desk?.lesson) return desk.runAll();
  if (event.key === "?") return actions.help();
  if (event.key === "d") return actions.theme();
  if (event.key === "P") return actions.large();
  forTheGraph(event, actions);
}

function forTheGraph(event: KeyboardEvent, actions: LessonActions): void {
  const { desk } = actions;
  const inside = event.target instanceof Element && event.target.closest(".side") !== null;
  if (!desk || desk.run === null || (!inside && (SCROLLING.has(event.key) || ELSEWHERE.has(event.key)))) return;
  const graph = actions.graph();
  handleKey(event, {
    session: desk.explorer,
    follow: () => graph?.follow(),
    zoom: (factor) => graph?.zoom(factor),
    toggleFold: () => graph?.toggleFold(),
    foldAll: () => graph?.foldAll(),
    neighbour: (direction) => graph?.neighbour(direction),
    escape: () => desk.explorer.escape(),
    search: () => undefined,
    why: () => undefined,
    compare: () => undefined,
    help: () => actions.help(),
    theme: () => actions.theme(),
  });
}
