/** The run being watched, from the server's messages alone. */
import { describe, expect, it, vi } from "vitest";
import { scalarRun } from "../../fixtures/runs";
import { Watch } from "../../src/app/watch.svelte";
import type { AnyRecord, LiveMessage, Run, Step } from "../../src/protocol";
import type { LiveHandlers } from "../../src/protocol/client";

const run: Run = { id: "r", name: "r.py", status: "running", started: "2026-01-01T00:00:00Z", steps: 2 };
const steps = [0, 1].map((step): Step => ({ step, first: 1, last: 9, nodes: 3, backwards: 1, values: true }) as Step);
const whole = scalarRun("r").filter((record) => record.type !== "run_finished");
const nodes = whole.flatMap((record) => (record.type === "node" ? [record.id] : []));

/** As they come from the server: plain objects. */
const sent = (records: AnyRecord[]) => records as unknown as Record<string, unknown>[];

let send: (message: LiveMessage) => void = () => undefined;
vi.mock("../../src/app/idle", () => ({ setBusy: () => undefined }));
vi.mock("../../src/app/origin", () => ({
  origin: () => ({
    watchRun: (_id: string, _step: number, _outline: boolean, handlers: LiveHandlers) => {
      send = handlers.message;
      return { stop: () => undefined, more: () => undefined };
    },
    recordsOfStep: () => Promise.resolve(whole),
  }),
}));

describe("a step that is drawn as the one it is just like", () => {
  const numbers = {
    ...{ seq: 900, t: 9, step: 1, type: "numbers", like: 0, nodes },
    ...{ norm: nodes.map(() => 1), min: nodes.map(() => 0), max: nodes.map(() => 1) },
  } as AnyRecord;

  it("is drawn as itself once its own ops have come, and not as both", async () => {
    const watch = new Watch(() => undefined);
    watch.open("r", null);
    send({ type: "snapshot", run, steps, step: 1, seq: 900, records: sent([numbers]) });
    await vi.waitFor(() => expect(watch.latest.graph.nodes.size).toBe(nodes.length));
    const more = (record: AnyRecord, i: number): AnyRecord =>
      ({
        ...record,
        ...{ seq: 901 + i, step: 1 },
        ...(record.type === "node" && { id: record.id + 100 }),
      }) as AnyRecord;
    const own = whole.filter((record) => record.type === "node").map(more);
    send({ type: "batch", first: 901, last: 920, records: sent(own) });
    expect([...watch.latest.graph.nodes.keys()]).toEqual(nodes.map((id) => id + 100));
    watch.close();
  });

  it("ends with what ended it, where its own ops come in several batches after that", async () => {
    const watch = new Watch(() => undefined);
    watch.open("r", null);
    const over = { seq: 901, t: 9, step: 1, type: "step_taken", optimizer: "SGD", loss: 1 } as AnyRecord;
    send({ type: "snapshot", run, steps, step: 1, seq: 901, records: sent([numbers, over]) });
    await vi.waitFor(() => expect(watch.latest.graph.nodes.size).toBe(nodes.length));
    const own = whole.map((record, i) => ({ ...record, seq: 902 + i, step: 1, t: i * 1e-3 }) as AnyRecord);
    const half = own.findIndex(({ type }) => type === "backward_started");
    for (const part of [own.slice(0, half), own.slice(half)])
      send({ type: "batch", first: part[0]!.seq, last: part.at(-1)!.seq, records: sent(part) });
    expect(watch.latest.history.records.at(-1)!.type).toBe("step_taken");
    watch.close();
  });
});

it("a step that is held stays, though the newest comes late", () => {
  const watch = new Watch(() => undefined);
  const over: Run = { ...run, status: "finished" };
  watch.open("r", null);
  send({ type: "snapshot", run: over, steps, step: 1, seq: 9, records: sent(whole) });
  expect(watch.step).toBe(1);
  watch.hold();
  const later = [...steps, { ...steps[1]!, step: 2 }];
  send({ type: "snapshot", run: over, steps: later, step: 2, seq: 99, records: sent(whole) });
  expect(watch.step).toBe(1);
  watch.choose(2);
  send({ type: "snapshot", run: over, steps: later, step: 2, seq: 99, records: sent(whole) });
  expect(watch.step).toBe(2);
  watch.close();
});

it("keeps the picture of a run that has ended until the step comes that is then worth showing", () => {
  const watch = new Watch(() => undefined);
  watch.open("r", null);
  send({ type: "snapshot", run, steps, step: 1, seq: 9, records: sent(whole) });
  const over: Run = { ...run, status: "finished" };
  const later = [...steps, { ...steps[1]!, step: 2, nodes: 0 }];
  const bare = [{ seq: 99, t: 9, step: 2, type: "step_taken", optimizer: "SGD", loss: 1 } as AnyRecord];
  send({ type: "snapshot", run: over, steps: later, step: 2, seq: 99, records: sent(bare) });
  expect([watch.step, watch.graph.nodes.size]).toEqual([1, nodes.length]);
  send({ type: "snapshot", run: over, steps: later, step: 0, seq: 99, records: sent(whole) });
  expect([watch.step, watch.graph.nodes.size]).toEqual([0, nodes.length]);
  watch.close();
});
