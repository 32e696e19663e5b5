/** A tour of the run, from stop to stop, with pictures and texts. */
import { type Stop, tourOf } from "../model/tour";
import type { Session } from "./session.svelte";

export class Touring {
  /** What the tour was made from when it began. */
  private of = $state.raw<Parameters<typeof tourOf> | null>(null);
  readonly stops = $derived.by<readonly Stop[]>(() => (this.of ? tourOf(...this.of) : []));
  at = $state(0);
  /** The step of the tour; null without a tour. */
  home = $state<number | null>(null);
  /** A stop in a link, whose step has not arrived yet. */
  private wanted: string | null = null;

  constructor(private readonly session: Session) {}

  get stop(): Stop | null {
    return this.home === null ? null : (this.stops[this.at] ?? null);
  }

  /** The tour in a link: the stop, and the step of the tour. */
  get address(): string | null {
    return this.stop ? `${this.stop.id},${this.home}` : null;
  }

  /** Follows a link to the step of the tour, and from there to the stop. */
  expect(stop: string | null): void {
    this.end();
    this.wanted = stop;
  }

  /** Handles the arrival of the step. */
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

  /** Goes to the next or previous stop; without a tour, to the first. */
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
