import { describe, expect, it } from "vitest";
import { Carried, telling } from "../../src/app/replay";
import type { LiveMessage, Run, Snapshot, Step } from "../../src/protocol";

const step = (number: number, backwards: number, values: boolean): Step =>
  ({ step: number, first: number, last: number, backwards, values }) as Step;

describe("the step that a file opens with", () => {
  it("is the last with a backward and values, not an evaluation after it", () => {
    expect(telling([step(0, 1, true), step(1, 1, true), step(2, 1, false), step(3, 0, true)])?.step).toBe(1);
  });

  it("is one of which backward was kept too, though of a later one its forward was", () => {
    const forward = { ...step(1, 1, true), gradients: false };
    expect(telling([{ ...step(0, 1, true), gradients: true }, forward])?.step).toBe(0);
    expect(telling([step(0, 1, false), forward])?.step).toBe(1);
  });

  it("is the last with a backward where no values were taken", () => {
    expect(telling([step(0, 1, false), step(1, 1, false), step(2, 0, false)])?.step).toBe(1);
  });

  it("is one that has ops, where no backward was recorded", () => {
    const bare = { ...step(1, 0, false), nodes: 0 };
    expect(telling([{ ...step(0, 0, true), nodes: 9 }, bare])?.step).toBe(0);
  });

  it("is the newest where no backward ran", () => {
    expect(telling([step(0, 0, true), step(1, 0, false)])?.step).toBe(1);
    expect(telling([])).toBeUndefined();
  });
});

describe("a file with several runs", () => {
  const records = (of: string) => [
    { seq: 1, t: 0, step: 0, type: "source", file: `${of}.py`, text: "" },
    { seq: 2, t: 0, step: 0, type: "step_taken", loss: 1 },
    { seq: 3, t: 0, step: 1, type: "step_taken", loss: 2 },
    { seq: 4, t: 0, step: 1, type: "of a newer minigrad" },
    { seq: 5, t: 0, step: 1, type: "run_finished", status: "failed" },
  ];
  const runOf = (id: string): Run => ({ id, name: `${id}.py`, status: "failed", started: "2026-01-01T00:00:00Z" });
  const carried = new Carried(
    ["a", "b"].map((id) => ({ run: runOf(id), steps: [step(0, 1, true), step(1, 1, false)], records: records(id) })),
  );
  const watched = (id: string, wanted: number | null) =>
    new Promise<LiveMessage | string>((resolve) =>
      carried.watchRun(id, wanted, false, {
        message: resolve,
        waiting: () => undefined,
        link: (link, why) => link === "refused" && resolve(why!),
      }),
    );

  it("answers as the server does, of each of them", async () => {
    expect((await carried.listRuns()).map((run) => run.id)).toEqual(["a", "b"]);
    expect((await carried.listSteps("b")).map((row) => row.step)).toEqual([0, 1]);
    expect((await carried.recordsOfStep("b", 1)).map((r) => r.seq)).toEqual([3, 5]);
    expect(await carried.lastRecord(runOf("b"))).toMatchObject({ type: "run_finished" });
  });

  it("shows the telling step unasked, else the one that is asked for, each with the texts of its own run", async () => {
    const unasked = (await watched("b", null)) as Snapshot;
    expect([unasked.run.id, unasked.step, unasked.records.map((r) => r.seq)]).toEqual(["b", 0, [1, 2]]);
    const asked = (await watched("a", 1)) as Snapshot;
    expect([asked.run.id, asked.step, asked.seq]).toEqual(["a", 1, 5]);
    expect(asked.records[0]).toMatchObject({ type: "source", file: "a.py" });
  });

  it("says of a run that it does not hold which ones it does", async () => {
    expect(await watched("gone", null)).toMatch(/no run gone in this file.*a\.py \(a\), b\.py \(b\)/);
    await expect(carried.recordsOfStep("gone", 0)).rejects.toThrow("There is no run gone");
  });
});
