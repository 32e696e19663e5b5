/**
 * The messages of a connection, for a page that may be too busy to draw each as it arrives: all that have arrived are
 * handled together and drawn once. Then the page rests for as long as that took, so that it also answers its user.
 */
export class Inbox<Message> {
  private readonly messages: Message[] = [];
  private working = false;

  constructor(
    private readonly handle: (message: Message) => void,
    /** Called when a first message waits to be handled, and when none does any more. */
    private readonly waiting: (waiting: boolean) => void,
  ) {}

  add(message: Message): void {
    this.messages.push(message);
    if (this.messages.length === 1) this.waiting(true);
    if (!this.working) void this.work();
  }

  /** Drops what is not handled yet. */
  clear(): void {
    this.messages.length = 0;
    this.waiting(false);
  }

  private async work(): Promise<void> {
    this.working = true;
    try {
      await pause(0);
      while (this.messages.length > 0) {
        const began = performance.now();
        while (this.messages.length > 0) this.handle(this.messages.shift()!);
        this.waiting(false);
        await drawn();
        await pause(Math.min(performance.now() - began, LONGEST_REST_MS));
      }
    } finally {
      this.working = false;
    }
  }
}

const LONGEST_REST_MS = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the page has been drawn; a hidden page is not drawn. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, LONGEST_REST_MS);
  });
