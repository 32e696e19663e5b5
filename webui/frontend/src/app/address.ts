/** Keeps the address bar up to date, and no oftener than browsers allow: they refuse more than some changes a second. */

const EVERY_MS = 300;

export class AddressBar {
  private written = "";
  private waiting: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `run` is shown at first; `read` is called with an address that somebody else has written: the user, or the back button. */
  constructor(
    private run: string | null,
    private readonly read: (hash: string) => void,
  ) {}

  /** A view of `run` has this address: another run is a new place to come back to, the rest is one place's latest. */
  show(hash: string, run: string | null): void {
    const fresh = run !== this.run;
    this.run = run;
    this.waiting = hash;
    if (fresh || this.timer === undefined) this.write(fresh);
  }

  /** The address has changed. */
  changed(): void {
    if (location.hash === this.written) return;
    this.waiting = null;
    this.read(location.hash);
  }

  /** The newest address, and none for a while after it. */
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
