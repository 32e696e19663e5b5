/** The requests of a page while a run goes on, by a clock that the test turns. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Paced } from "../../src/app/paced.svelte";

vi.mock("../../src/app/idle", () => ({ setBusy: () => undefined }));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When the server was asked, in milliseconds, while a record came each 100 ms; an answer takes `wait` ms. */
async function asked(milliseconds: number, wait: number): Promise<number[]> {
  const begun = performance.now();
  const times: number[] = [];
  const paced = new Paced("curves", async (run) => {
    times.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, wait));
    return run;
  });
  for (let newest = 1; performance.now() - begun < milliseconds; newest++) {
    paced.want("run", newest);
    await vi.advanceTimersByTimeAsync(100);
  }
  paced.stop();
  return times;
}

it("asks at once, then once a second, however many records come", async () => {
  expect(await asked(3500, 10)).toEqual([0, 1000, 2000, 3000]);
});

it("leaves a server that needs half a second five seconds between", async () => {
  expect(await asked(10_500, 500)).toEqual([0, 5000, 10_000]);
});

it("does not ask again where nothing new came, and begins anew for another run", async () => {
  const runs: string[] = [];
  const paced = new Paced("curves", (run) => Promise.resolve(runs.push(run)));
  paced.want("a", 5);
  await vi.advanceTimersByTimeAsync(0);
  paced.want("a", 5);
  await vi.advanceTimersByTimeAsync(9000);
  expect(runs).toEqual(["a"]);
  paced.want("b", 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual(["a", "b"]);
});

it("a server that cannot answer is asked again with the next record, and what it said is kept", async () => {
  let broken = true;
  const paced = new Paced("curves", () => (broken ? Promise.reject(new Error("no such run")) : Promise.resolve(1)));
  paced.want("run", 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(paced.problem).toBe("no such run");
  broken = false;
  paced.want("run", 2);
  await vi.advanceTimersByTimeAsync(1000);
  expect([paced.problem, paced.data]).toEqual([null, 1]);
});
