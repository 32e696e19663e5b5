/** Steps that are played automatically or one by one. */
const PACE_MS = 900;

export class Walker {
  at = $state(0);
  playing = $state(false);

  /** `last` is the step to stop at. Create it where effects are allowed. */
  constructor(readonly last: () => number) {
    $effect(() => {
      if (!this.playing) return;
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
        this.at = this.last();
        this.playing = false;
        return;
      }
      const timer = setInterval(() => {
        if (this.at < this.last()) this.at++;
        else this.playing = false;
      }, PACE_MS);
      return () => clearInterval(timer);
    });
  }

  play(): void {
    [this.at, this.playing] = [0, true];
  }

  toggle(): void {
    if (this.playing) this.playing = false;
    else this.play();
  }

  step(by: 1 | -1, most: number): void {
    this.playing = false;
    this.at = Math.max(0, Math.min(most, this.at + by));
  }
}
