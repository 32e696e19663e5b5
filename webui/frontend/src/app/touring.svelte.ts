/** A tour of the run: from stop to stop, in the picture and in words. */
import { type Stop, tourOf } from "../model/tour";
import type { Session } from "./session.svelte";

export class Touring {
  /** What the tour is of, as it was when it began. */
  private of = $state.raw<Parameters<typeof tourOf> | null>(null);
  readonly stops = $derived.by<readonly Stop[]>(() => (this.of ? tourOf(...this.of) : []));
  at = $state(0);
  /** The step that the tour is of; null while there is none. */
  home = $state<number | null>(null);
  /** A link names a stop whose step is still on its way. */
  private wanted: string | null = null;

  constructor(private readonly session: Session) {}

  get stop(): Stop | null {
    return this.home === null ? null : (this.stops[this.at] ?? null);
  }

  /** As the link has it: the stop, and the step that the tour is of. */
  get address(): string | null {
    return this.stop ? `${this.stop.id},${this.home}` : null;
  }

  /** A link leads to the step that the tour is of, and from there to the stop. */
  expect(stop: string | null): void {
    this.end();
    this.wanted = stop;
  }

  /** The step has come. */
  arrived(): void {
    if (this.wanted === null || this.session.watch.reading) return;
    const wanted = this.wanted;
    this.wanted = null;
    this.begin(wanted);
  }

  begin(first: string | null = null): void {
    const { watch } = this.session;
    const { graph, history, step } = watch;
    this.of = [watch.run, watch.steps, { graph, step, state: history.at(history.length) }];
    this.home = this.stops.length > 0 ? step : null;
    this.go(
      Math.max(
        0,
        this.stops.findIndex(({ id }) => id === first),
      ),
    );
  }

  /** The next stop, or the one before; the first where there is no tour yet. */
  by(delta: 1 | -1): void {
    if (this.home === null) this.begin();
    else this.go(this.at + delta);
  }

  end(): void {
    this.home = this.wanted = null;
    this.of = null;
  }

  private go(to: number): void {
    const stop = this.stops[to];
    if (!stop) return;
    const { session } = this;
    this.at = to;
    session.player.pause();
    session.touching.release();
    session.turnTo(stop.step, stop.key, stop.at ?? null);
  }
}
