import { describe, expect, it } from "vitest";
import { exchangeOf, slowestOf, waitingShares } from "../../src/model/exchange";
import { type Lane, merged } from "../../src/model/ranks";
import type { AnyRecord, CollectiveRan, Run, Step } from "../../src/protocol";

const ran = (rank: number, t: number, more: Partial<CollectiveRan> = {}): CollectiveRan => ({
  seq: Math.round(1000 * t) * 10 + rank,
  t,
  type: "collective_ran",
  kind: "all_reduce",
  rank,
  seconds: 0.01,
  sizes: [400],
  ...more,
});
const backward = (run: number, from: number, to: number): AnyRecord[] =>
  [
    { seq: 1, t: from, type: "backward_started", run },
    { seq: 2, t: to, type: "backward_finished", run },
  ] as AnyRecord[];
const alone = (): null => null;

describe("the exchanges of a step", () => {
  it("lie where they ran, though they are told of later: filled before, waited for at the end", () => {
    const one = ran(0, 1, { bucket: 2, seconds: 0.02, filling: 0.01, late: 0.1 });
    const other = ran(0, 1.1, { seconds: 0.05, waited: 0.03 });
    const { rows } = exchangeOf([...backward(7, 0.8, 1.2), one, other], [one, other], alone)!;
    const [first, second] = rows[0]!.bars;
    expect(first!.filling!.map((t) => t.toFixed(3))).toEqual(["0.870", "0.880"]);
    expect(first!.exchange.map((t) => t.toFixed(3))).toEqual(["0.880", "0.900"]);
    expect(first!.waiting).toBeNull();
    expect(first!.title).toBe(
      "Bucket 2, all-reduce of 400 B, filled in 10 ms, exchanged in 20 ms, hidden behind other work",
    );
    expect(second!.waiting!.map((t) => t.toFixed(3))).toEqual(["1.070", "1.100"]);
    expect(rows[0]!.backward).toEqual([[0.8, 1.2]]);
  });

  it("take a line each where they overlap, and share one where they do not", () => {
    const three = [ran(0, 1, { seconds: 0.5 }), ran(0, 1.2, { seconds: 0.5 }), ran(0, 1.6, { seconds: 0.3 })];
    const [row] = exchangeOf(three, three, alone)!.rows;
    expect(row!.bars.map(({ line }) => line)).toEqual([0, 1, 0]);
    expect(row!.lines).toBe(2);
  });

  it("do not count what the program did before training or after it", () => {
    const one = ran(0, 1);
    const printed = { seq: 9, t: 50, type: "output", stream: "stdout", text: "" } as AnyRecord;
    expect(exchangeOf([one, printed, ...backward(1, 0.5, 1)], [one], alone)!.span).toEqual([0.5, 1]);
  });

  it("are nothing where nothing was exchanged", () => {
    expect(exchangeOf(backward(1, 0, 1), [], alone)).toBeNull();
  });
});

describe("the slowest rank", () => {
  const of = (...starts: number[]): ReturnType<typeof slowestOf> => {
    const members = starts.map((start, rank) => ran(rank, start + 0.01));
    return slowestOf(exchangeOf([...backward(1, 0, 1), ...members], members, alone)!);
  };
  it("is the one that begins last, and is told by how much", () => {
    const found = of(0.5, 0.52, 0.8, 0.51)!;
    expect(found.rank).toBe(2);
    expect(found.late).toBeCloseTo(0.3, 6);
  });
  it("is none where all begin at nearly the same time, or two are as slow", () => {
    expect(of(0.5, 0.51, 0.52)).toBeNull();
    expect(of(0.5, 0.8, 0.79)).toBeNull();
    expect(of(0.5)).toBeNull();
  });
});

it("a rank whose clock is behind is moved by what was measured when the ranks met", () => {
  const run = (rank: number): Run => ({
    id: `r${rank}`,
    name: "",
    status: "finished",
    started: "2026-01-01T00:00:00Z",
    rank,
  });
  const lanes: Lane[] = [
    { run: run(0), records: [ran(0, 1)] },
    { run: run(1), records: [ran(1, 0.4, { clock: 0.6 })] },
  ];
  expect(merged(lanes).map(({ t }) => t)).toEqual([1, 1]);
});

it("the share of waiting is told for steps whose beginning is known", () => {
  const row = (step: number, ended: number | null, waited: number | null): Step =>
    ({ step, first: 1, last: 2, ended, waited }) as Step;
  const shares = waitingShares([row(0, 1, 0.5), row(1, 3, 0.5), row(2, null, null), row(3, 5, 1), row(4, 6, 0.1)]);
  expect(shares).toEqual([
    { step: 1, share: 0.25 },
    { step: 4, share: 0.1 },
  ]);
});
