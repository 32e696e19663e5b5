/** Keeps the address bar up to date, but not more often than browsers allow: they refuse many changes per second. */

const EVERY_MS = 300;

export class AddressBar {
  private written = "";
  private waiting: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `run` is shown first. `read` is called with an address that the user or the back button has set. */
  constructor(
    private run: string | null,
    private readonly read: (hash: string) => void,
  ) {}

  /**
   * Shows the address of a view of `run`. Another run is a new entry in the history; other changes replace the entry.
   */
  show(hash: string, run: string | null): void {
    const fresh = run !== this.run;
    this.run = run;
    this.waiting = hash;
    if (fresh || this.timer === undefined) this.write(fresh);
  }

  /** Handles a changed address. */
  changed(): void {
    if (location.hash === this.written) return;
    this.waiting = null;
    this.read(location.hash);
  }

  /** Writes the newest address now, and then none for a while. */
  private write(fresh: boolean): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const hash = this.waiting;
    this.waiting = null;
    if (hash === null || hash === location.hash) return;
    this.timer = setTimeout(() => this.write(false), EVERY_MS);
    this.written = hash;
    const address = `${location.pathname}${location.search}${hash}`;
    if (fresh) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}
