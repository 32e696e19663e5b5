/** The gradients' norms of a run, asked for while somebody looks at them: again where there is more, at its pace. */
import type { Gradients } from "../protocol";
import { setBusy } from "./idle";
import { origin } from "./origin";

/** Milliseconds from one request to the next, at least; */
const PACE = 1000;

/** and so many times what the last one took: a server that has much to read has other things to do, too. */
const REST = 10;

export class GradientCurves {
  data = $state.raw<Gradients | null>(null);
  problem = $state<string | null>(null);
  private run: string | null = null;
  /** The number of the newest record that was known when it was asked. */
  private told = 0;
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `newest` is the number of the newest record with norms that there is of the run. */
  want(run: string, newest: number): void {
    if (run !== this.run) this.turnTo(run);
    if (newest <= this.told) return;
    this.told = newest;
    clearTimeout(this.timer);
    if (this.data === null) setBusy("gradients", true);
    this.timer = setTimeout(() => void this.ask(run), Math.max(0, this.next - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
    setBusy("gradients", false);
    this.run = null;
  }

  private turnTo(run: string): void {
    this.stop();
    this.run = run;
    this.told = this.next = 0;
    this.data = this.problem = null;
  }

  private async ask(run: string): Promise<void> {
    const began = performance.now();
    this.next = began + PACE;
    try {
      const data = await origin().gradients(run);
      if (run !== this.run) return;
      this.data = data;
      this.problem = null;
    } catch (error) {
      if (run !== this.run) return;
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.next = Math.max(this.next, began + REST * (performance.now() - began));
    setBusy("gradients", false);
  }
}
