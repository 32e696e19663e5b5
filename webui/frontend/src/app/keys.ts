/** Every key and what it does; the help page is made from the same list. */
import { METRICS } from "../model/overlay";
import { english } from "../language/text";
import type { Session } from "./session.svelte";

export interface Actions {
  session: Session;
  follow(): void;
  zoom(factor: number): void;
  search(): void;
  help(): void;
  toggleFold(): void;
  foldAll(): void;
  escape(): void;
  theme(): void;
  neighbour(direction: "up" | "down"): void;
  why(): void;
  compare(): void;
}

export interface Binding {
  keys: string[];
  shown: string;
  does: string;
  group: "Time" | "Steps" | "Program" | "Picture" | "Find";
  run(actions: Actions): void;
}

const COLOUR_BY: Record<(typeof METRICS)[number], string> = {
  gradient: english("colour by gradient norm"),
  update: english("colour by update to weight"),
  bytes: english("colour by bytes"),
  time: english("colour by time"),
  nonfinite: english("colour by not finite"),
};

export const BINDINGS: Binding[] = [
  { keys: ["ArrowRight"], shown: "→", does: english("next event"), group: "Time", run: (a) => a.session.step(1) },
  { keys: ["ArrowLeft"], shown: "←", does: english("previous event"), group: "Time", run: (a) => a.session.step(-1) },
  {
    keys: ["Shift+ArrowRight"],
    shown: "⇧ →",
    does: english("step over the module"),
    group: "Time",
    run: (a) => a.session.stepOver(1),
  },
  {
    keys: ["Shift+ArrowLeft"],
    shown: "⇧ ←",
    does: english("step back over the module"),
    group: "Time",
    run: (a) => a.session.stepOver(-1),
  },
  {
    keys: [" "],
    shown: english("space"),
    does: english("play or pause"),
    group: "Time",
    run: (a) => a.session.player.toggle(),
  },
  {
    keys: ["Home"],
    shown: english("home"),
    does: english("before the first event"),
    group: "Time",
    run: (a) => (a.session.player.pause(), a.session.seek(0)),
  },
  {
    keys: ["End"],
    shown: english("end"),
    does: english("after the last event"),
    group: "Time",
    run: (a) => (a.session.player.pause(), a.session.seek(Infinity)),
  },
  { keys: ["]"], shown: "]", does: english("next training step"), group: "Steps", run: (a) => a.session.stepBy(1) },
  {
    keys: ["["],
    shown: "[",
    does: english("previous training step"),
    group: "Steps",
    run: (a) => a.session.stepBy(-1),
  },
  {
    keys: ["l"],
    shown: "l",
    does: english("follow the newest step"),
    group: "Steps",
    run: (a) => a.session.chooseStep(null),
  },
  {
    keys: ["p"],
    shown: "p",
    does: english("pause the program, continue it"),
    group: "Program",
    run: (a) => a.session.debug.toggle(),
  },
  {
    keys: ["s"],
    shown: "s",
    does: english("one step of the paused program"),
    group: "Program",
    run: (a) => a.session.debug.go("step"),
  },
  {
    keys: ["o"],
    shown: "o",
    does: english("step it over the module"),
    group: "Program",
    run: (a) => a.session.debug.go("over"),
  },
  {
    keys: ["r"],
    shown: "r",
    does: english("run it to the selected op"),
    group: "Program",
    run: (a) => a.session.debug.runTo(a.session.focus),
  },
  {
    keys: ["b"],
    shown: "b",
    does: english("break at the selected op"),
    group: "Program",
    run: (a) => a.session.debug.breakAt(a.session.focus),
  },
  {
    keys: ["Shift+B"],
    shown: "⇧ b",
    does: english("all breakpoints"),
    group: "Program",
    run: (a) => (a.session.debug.open = !a.session.debug.open),
  },
  {
    keys: ["ArrowDown", "j"],
    shown: "↓",
    does: english("select the next op"),
    group: "Picture",
    run: (a) => a.neighbour("down"),
  },
  {
    keys: ["ArrowUp", "k"],
    shown: "↑",
    does: english("select the previous op"),
    group: "Picture",
    run: (a) => a.neighbour("up"),
  },
  {
    keys: ["Enter", "e"],
    shown: "e",
    does: english("open or fold the module"),
    group: "Picture",
    run: (a) => a.toggleFold(),
  },
  { keys: ["Shift+E"], shown: "⇧ e", does: english("open or fold all"), group: "Picture", run: (a) => a.foldAll() },
  {
    keys: ["f"],
    shown: "f",
    does: english("follow the program, or show the whole picture"),
    group: "Picture",
    run: (a) => a.follow(),
  },
  { keys: ["+", "="], shown: "+", does: english("zoom in"), group: "Picture", run: (a) => a.zoom(1.25) },
  { keys: ["-"], shown: "−", does: english("zoom out"), group: "Picture", run: (a) => a.zoom(0.8) },
  {
    keys: ["g"],
    shown: "g",
    does: english("only the gradient’s path"),
    group: "Find",
    run: (a) => (a.session.way = !a.session.way),
  },
  {
    keys: ["c"],
    shown: "c",
    does: english("compare with another step or run"),
    group: "Find",
    run: (a) => a.compare(),
  },
  {
    keys: ["."],
    shown: ".",
    does: english("tour of the run, next stop"),
    group: "Find",
    run: (a) => a.session.touring.by(1),
  },
  { keys: [","], shown: ",", does: english("previous stop"), group: "Find", run: (a) => a.session.touring.by(-1) },
  {
    keys: ["n"],
    shown: "n",
    does: english("to the first NaN or anomaly"),
    group: "Time",
    run: (a) => a.session.toTrouble(),
  },
  { keys: ["w"], shown: "w", does: english("why is .grad None?"), group: "Find", run: (a) => a.why() },
  {
    keys: ["t"],
    shown: "t",
    does: english("text tree"),
    group: "Picture",
    run: (a) => (a.session.tree = !a.session.tree),
  },
  {
    keys: ["m"],
    shown: "m",
    does: english("more room for the picture"),
    group: "Picture",
    run: (a) => (a.session.wide = !a.session.wide),
  },
  ...METRICS.map((metric, i): Binding => ({
    keys: [String(i + 1)],
    shown: String(i + 1),
    does: COLOUR_BY[metric],
    group: "Picture",
    run: (a) => (a.session.overlay = metric),
  })),
  { keys: ["0"], shown: "0", does: english("no colouring"), group: "Picture", run: (a) => (a.session.overlay = null) },
  { keys: ["d"], shown: "d", does: english("dark or light"), group: "Picture", run: (a) => a.theme() },
  { keys: ["/"], shown: "/", does: english("search"), group: "Find", run: (a) => a.search() },
  { keys: ["?"], shown: "?", does: english("all keys"), group: "Find", run: (a) => a.help() },
  {
    keys: ["Escape"],
    shown: "esc",
    does: english("clear selection and search"),
    group: "Find",
    run: (a) => a.escape(),
  },
];

const TYPING = "input, textarea, select, [contenteditable]";

/** Keys that a focused control uses itself are not handled here. */
function belongsToControl(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(TYPING)) return key !== "Escape";
  if ((key === " " || key === "Enter") && target.closest("button, a, summary, [role=treeitem], [role=option]"))
    return true;
  return key.startsWith("Arrow") && target.closest("[data-arrows]") !== null;
}

export function handleKey(event: KeyboardEvent, actions: Actions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (belongsToControl(event.target, event.key)) return;
  const name =
    event.shiftKey && event.key.length > 1
      ? `Shift+${event.key}`
      : event.shiftKey && /^[A-Z]$/.test(event.key)
        ? `Shift+${event.key}`
        : event.key;
  const binding = BINDINGS.find((b) => b.keys.includes(name));
  if (!binding) return;
  event.preventDefault();
  binding.run(actions);
}
