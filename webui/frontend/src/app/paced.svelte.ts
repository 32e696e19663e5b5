/** Asks the server about the watched run, and again when there are new records, as often as the server can answer. */
import { setBusy } from "./idle";

/** The least milliseconds from one request to the next, */
const PACE = 1000;

/** and this many times the duration of the last request, because a server with much to read has other work, too. */
const REST = 10;

export class Paced<T> {
  data = $state.raw<T | null>(null);
  problem = $state<string | null>(null);
  private run: string | null = null;
  /** The number of the newest record at the last request. */
  private told = 0;
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** What the page is waiting for at the first request. */
    private readonly name: string,
    private readonly answer: (run: string) => Promise<T>,
  ) {}

  /** `newest` is the number of the newest record of the run that the answer may cover. */
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
