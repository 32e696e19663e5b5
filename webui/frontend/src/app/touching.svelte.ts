/** Dragging one element of the shown step: the server computes the step again, and the picture shows the result. */
import { type Touch, sameTouch, touchedState } from "../model/touch";
import type { State } from "../model/state";
import type { Touched } from "../protocol";
import { touch } from "../protocol/client";
import { setBusy } from "./idle";
import { replay } from "./replay";
import type { Watch } from "./watch.svelte";
import { t } from "../language/text";

export class Touching {
  /** The dragged element, or null. */
  what = $state.raw<Touch | null>(null);
  /** The new value. */
  value = $state(0);
  /** The result for the last value that was answered. */
  answer = $state.raw<Touched | null>(null);
  /** A request is being computed; another value may have been set since. */
  private underWay = false;

  constructor(private readonly watch: () => Watch) {}

  /** Whether a server can compute: a file without a server cannot. */
  get able(): boolean {
    return replay() === null;
  }

  /** The result, if its step is shown and it could be computed. */
  get shown(): Touched | null {
    if (!this.what || this.what.step !== this.watch().step || this.answer?.problem != null) return null;
    return this.answer;
  }

  /** The keys of the dragged box, and of the ops whose values depend on it. */
  get followers(): ReadonlySet<string> {
    const { graph } = this.watch();
    const keys = new Set<string>();
    if (this.what?.tensor !== undefined) keys.add(graph.leafKey(this.what.tensor));
    for (const { node, follows } of this.shown?.values ?? [])
      if (follows) keys.add(graph.opKey(this.watch().numbered(node)));
    return keys;
  }

  move(what: Touch, value: number): void {
    if (!sameTouch(what, this.what)) this.answer = null;
    this.what = what;
    this.value = value;
    void this.ask();
  }

  /** Ends the drag: everything is shown as recorded. */
  release(): void {
    this.what = this.answer = null;
  }

  /** The moment with the changed values. */
  in(state: State): State {
    const { shown } = this;
    const watch = this.watch();
    return shown ? touchedState(watch.graph, state, shown, (own) => watch.numbered(own)) : state;
  }

  /** Sends one request at a time. Of the values set meanwhile, only the last is sent. */
  private async ask(): Promise<void> {
    if (this.underWay) return;
    this.underWay = true;
    setBusy("touch", true);
    try {
      for (let asked: Touch | null = null, value = NaN; this.what && (asked !== this.what || value !== this.value);) {
        [asked, value] = [this.what, this.value];
        const answer = await this.answered(asked, value);
        if (sameTouch(asked, this.what)) this.answer = answer;
      }
    } finally {
      this.underWay = false;
      setBusy("touch", false);
    }
  }

  private async answered(what: Touch, value: number): Promise<Touched> {
    const whose = this.watch().whose((what.tensor ?? what.node)!);
    if (whose.run === null) return { problem: t("There is no run to compute.") };
    const key = what.tensor === undefined ? "node" : "tensor";
    const { step, element, input } = what;
    try {
      return await touch(whose.run, { step, value, element: element ?? 0, input: input ?? 0, [key]: whose.number });
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }
}
