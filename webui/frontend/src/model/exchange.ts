/**
 * When each rank of a step ran backward, filled its buckets, exchanged them and waited: intervals on one axis of time.
 * An exchange is recorded when its rank needs the result; `late` says how long it had been complete by then.
 */
import type { AnyRecord, CollectiveRan, Step } from "../protocol";
import { bytesOf, nameOf } from "./collectives";
import { bytes } from "./format";
import { t } from "../language/text";

/** From one second of the run to another. */
export type Interval = readonly [from: number, to: number];

export interface Bar {
  /** The number of its record. */
  seq: number;
  title: string;
  filling: Interval | null;
  exchange: Interval;
  waiting: Interval | null;
  /** Overlapping bars of one rank are on different lines. */
  line: number;
}

export interface Row {
  rank: number;
  backward: Interval[];
  bars: Bar[];
  lines: number;
}

export interface Exchange {
  span: Interval;
  rows: Row[];
}

const milliseconds = (seconds: number): string => `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms`;

const startOf = (one: CollectiveRan): number => one.t - (one.late ?? 0) - (one.seconds ?? 0);

function titleOf(one: CollectiveRan): string {
  const name =
    one.bucket == null
      ? nameOf(one.kind)
      : t("Bucket {bucket}, {kind}", { bucket: one.bucket, kind: nameOf(one.kind) });
  const hidden = (one.seconds ?? 0) - (one.waited ?? 0);
  return [
    t("{name} of {size}", { name, size: bytes(bytesOf(one)) }),
    one.filling ? t("filled in {time}", { time: milliseconds(one.filling) }) : "",
    t("exchanged in {time}", { time: milliseconds(one.seconds ?? 0) }),
    one.waited
      ? t("waited {time}", { time: milliseconds(one.waited) })
      : hidden > 0
        ? t("hidden behind other work")
        : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** The bars by their start; each is on the first free line. */
function barsOf(records: readonly CollectiveRan[]): { bars: Bar[]; lines: number } {
  const free: number[] = [];
  const bars = records.map((one): Bar => {
    const [start, end] = [startOf(one), one.t - (one.late ?? 0)];
    const begin = start - (one.filling ?? 0);
    let line = free.findIndex((until) => until <= begin);
    if (line < 0) line = free.length;
    free[line] = end;
    return {
      seq: one.seq,
      title: titleOf(one),
      filling: one.filling ? [begin, start] : null,
      exchange: [start, end],
      waiting: one.waited ? [end - one.waited, end] : null,
      line,
    };
  });
  return { bars, lines: free.length };
}

/** The kinds of records that are part of training; a program may print long before or after. */
const OF_TRAINING = new Set(["node", "backward_started", "backward_finished", "collective_ran", "step_taken"]);

/** The exchanges of a step; null if there are none. `rankOf` gives the rank of a backward pass. */
export function exchangeOf(
  records: readonly AnyRecord[],
  members: readonly CollectiveRan[],
  rankOf: (run: number) => number | null,
): Exchange | null {
  if (members.length === 0) return null;
  const ranks = [...new Set(members.map((one) => one.rank ?? 0))].sort((a, b) => a - b);
  const rows = ranks.map((rank): Row => {
    const own = members.filter((one) => (one.rank ?? 0) === rank);
    const begins = (one: CollectiveRan): number => startOf(one) - (one.filling ?? 0);
    return { rank, backward: [], ...barsOf(own.sort((a, b) => begins(a) - begins(b))) };
  });
  const open = new Map<number, number>();
  let [from, to] = [Infinity, -Infinity];
  for (const record of records) {
    if (!OF_TRAINING.has(record.type)) continue;
    from = Math.min(from, record.t);
    to = Math.max(to, record.t);
    if (record.type === "backward_started") open.set(record.run, record.t);
    if (record.type !== "backward_finished" || !open.has(record.run)) continue;
    const row = rows.find(({ rank }) => rank === (rankOf(record.run) ?? ranks[0]));
    row?.backward.push([open.get(record.run)!, record.t]);
  }
  for (const { bars } of rows) for (const bar of bars) from = Math.min(from, (bar.filling ?? bar.exchange)[0]);
  return to > from ? { span: [from, to], rows } : null;
}

/** Smaller differences between ranks are ignored. */
const LEAST_SHARE = 0.05;

/** The rank that the others wait for, and how much later than the first it begins an exchange; null if none is slow. */
export function slowestOf({ span, rows }: Exchange): { rank: number; late: number } | null {
  const most = Math.min(...rows.map(({ bars }) => bars.length));
  const late = rows.map(() => 0);
  for (let i = 0; i < most; i += 1) {
    const starts = rows.map(({ bars }) => bars[i]!.exchange[0]);
    const first = Math.min(...starts);
    starts.forEach((start, row) => (late[row] = Math.max(late[row]!, start - first)));
  }
  const [worst, next] = [...late].sort((a, b) => b - a);
  if (worst === undefined || next === undefined) return null;
  if (worst < 1.5 * next || worst < LEAST_SHARE * (span[1] - span[0])) return null;
  return { rank: rows[late.indexOf(worst)]!.rank, late: worst };
}

/** For each step where it is known, the part of the time that a rank only waited for others. */
export function waitingShares(steps: readonly Step[]): { step: number; share: number }[] {
  return steps.flatMap((row, i) => {
    const before = steps[i - 1];
    if (row.ended == null || row.waited == null || before?.ended == null || before.step !== row.step - 1) return [];
    const took = row.ended - before.ended;
    return took > 0 ? [{ step: row.step, share: Math.min(1, row.waited / took) }] : [];
  });
}
