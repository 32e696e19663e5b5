/** The state of a figure: the current values of its inputs. */
import { context, curve, type Node, parseProgram, type Program, run } from "./program";

export class Play {
  readonly program: Program;
  inputs = $state<Record<string, number>>({});
  nodes = $derived.by<Node[]>(() => run(this.program, this.inputs));
  names = $derived.by(() => context(this.program, this.inputs));
  points = $derived.by(() => curve(this.program, this.inputs));

  constructor(text: string) {
    this.program = parseProgram(text);
    this.reset();
  }

  reset(): void {
    this.inputs = Object.fromEntries(this.program.inputs.map((each) => [each.name, each.start]));
  }

  set(name: string, value: number): void {
    const input = this.program.inputs.find((each) => each.name === name);
    if (input) this.inputs[name] = Math.min(input.to, Math.max(input.from, value));
  }
}

/** Splits a text into Markdown and the programs of figures. */
export function partsOf(markdown: string): { kind: "text" | "figure"; text: string }[] {
  return markdown
    .split(/^```figure\n([\s\S]*?)^```$/m)
    .map((text, i): { kind: "text" | "figure"; text: string } => ({ kind: i % 2 ? "figure" : "text", text }))
    .filter((part) => part.text.trim() !== "");
}
