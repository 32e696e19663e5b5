/** Asks the server about the run that is watched, again when there is more, at the server's pace. */
import { setBusy } from "./idle";

/** Milliseconds from one request to the next, at least; */
const PACE = 1000;

/** and so many times what the last one took: a server that has much to read has other things to do, too. */
const REST = 10;

export class Paced<T> {
  data = $state.raw<T | null>(null);
  problem = $state<string | null>(null);
  private run: string | null = null;
  /** The number of the newest record that was known when it was asked. */
  private told = 0;
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** The request the page waits for, the first time. */
    private readonly name: string,
    private readonly answer: (run: string) => Promise<T>,
  ) {}

  /** `newest` is the number of the newest record of the run that the answer may speak of. */
  want(run: string, newest: number): void {
    if (run !== this.run) this.turnTo(run);
    if (newest <= this.told) return;
    this.told = newest;
    if (this.data === null) setBusy(this.name, true);
    this.again(run);
  }

  /** Asks again, although no new record is known. */
  again(run: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(run), Math.max(0, this.next - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
    setBusy(this.name, false);
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
      const data = await this.answer(run);
      if (run !== this.run) return;
      this.data = data;
      this.problem = null;
    } catch (error) {
      if (run !== this.run) return;
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.next = Math.max(this.next, began + REST * (performance.now() - began));
    setBusy(this.name, false);
  }
}
