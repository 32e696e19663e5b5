/** Plays a step like a film, at a number of events per second, until its end. */
import { SPEEDS } from "../model/playback";

/** The position in time, and the functions that change it. */
export interface Reel {
  readonly position: number;
  readonly length: number;
  seek(position: number): void;
}

/** Not shorter than a frame: a fast film plays several events per frame. */
const FRAME_MS = 16;

export class Player {
  playing = $state(false);
  /** Events a second. */
  speed = $state<number>(SPEEDS[1]);

  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly reel: Reel) {}

  /** Plays (from the beginning if the end was reached), or pauses. */
  toggle(): void {
    if (this.playing) return this.pause();
    if (this.reel.position >= this.reel.length) this.reel.seek(0);
    this.playing = true;
    this.run();
  }

  pause(): void {
    this.playing = false;
    clearInterval(this.timer);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.playing) this.run();
  }

  private run(): void {
    clearInterval(this.timer);
    const each = Math.max(FRAME_MS, 1000 / this.speed);
    const events = Math.max(1, Math.round((this.speed * each) / 1000));
    this.timer = setInterval(() => {
      this.reel.seek(this.reel.position + events);
      if (this.reel.position >= this.reel.length) this.pause();
    }, each);
  }
}
