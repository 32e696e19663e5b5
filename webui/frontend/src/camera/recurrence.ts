/**
 * Finds out whether the same boxes act again and again, faster than a camera can follow. Then the camera shows the part
 * of the picture in which most of the time is spent, rather than run after each op and always be late.
 */
export interface Share {
  key: string;
  /** How long the box acted lately, in milliseconds. */
  ms: number;
}

/** A box that acts twice within this time recurs. */
const LATELY_MS = 1500;

/** A box that acts for this long is followed, whatever happened before. */
const STAYS_MS = 400;

/** At least this part of the time must be spent in boxes that recur. */
const MOSTLY = 0.5;

export class Recurrence {
  private acts: { key: string; from: number }[] = [];

  /** Notes what acts now. */
  note(key: string, now: number): void {
    if (this.acts.at(-1)?.key !== key) this.acts.push({ key, from: now });
    const first = this.acts.findIndex((_, i) => (this.acts[i + 1]?.from ?? now) > now - LATELY_MS);
    if (first > 0) this.acts = this.acts.slice(first);
  }

  /** Forgets everything, since the program does not run freely. */
  forget(): void {
    this.acts = [];
  }

  /** The boxes that acted lately, and for how long; empty if what acts can be followed. */
  shares(now: number): Share[] {
    const { acts } = this;
    const last = acts.at(-1);
    if (!last || now - last.from > STAYS_MS) return [];
    const found = new Map<string, { ms: number; times: number }>();
    acts.forEach(({ key, from }, i) => {
      const ms = (acts[i + 1]?.from ?? now) - Math.max(from, now - LATELY_MS);
      const known = found.get(key) ?? { ms: 0, times: 0 };
      found.set(key, { ms: known.ms + ms, times: known.times + 1 });
    });
    const all = [...found].map(([key, share]) => ({ key, ...share }));
    const timeOf = (shares: readonly Share[]): number => shares.reduce((sum, { ms }) => sum + ms, 0);
    const again = all.filter(({ times }) => times > 1);
    return timeOf(again) > MOSTLY * timeOf(all) ? all.map(({ key, ms }) => ({ key, ms })) : [];
  }

  /**
   * The boxes that acted in the next `span` milliseconds when what acts now acted before, and for how long. Empty if
   * the program repeats itself within that time.
   */
  coming(now: number, span: number): Share[] {
    const { acts } = this;
    const last = acts.at(-1);
    const before = acts.slice(0, -1).findLastIndex(({ key }) => key === last?.key);
    if (!last || before < 0 || acts[before]!.from > now - span) return [];
    const from = Math.min(acts[before]!.from + now - last.from, acts[before + 1]!.from);
    return acts.slice(before, -1).flatMap((act, i) => {
      const until = acts[before + i + 1]!.from;
      const ms = Math.min(until, from + span) - Math.max(act.from, from);
      return ms > 0 ? [{ key: act.key, ms }] : [];
    });
  }
}
