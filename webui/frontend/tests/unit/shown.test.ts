import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Shown } from "../../src/app/shown.svelte";
import { scalarRun } from "../../fixtures/runs";

const opRecord = scalarRun().find((record) => record.type === "node")!;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
  vi.stubGlobal("document", { documentElement: { dataset: {} } });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Records come every 20 milliseconds, so long. */
function stream(shown: Shown, milliseconds: number): void {
  for (let spent = 0; spent < milliseconds; spent += 20) {
    shown.append([]);
    vi.advanceTimersByTime(20);
  }
}

it("tells that records rush by once a second, and that they rest whenever they stop", () => {
  for (let milliseconds = 1000; milliseconds <= 4000; milliseconds += 20) {
    const shown = new Shown(() => undefined);
    stream(shown, milliseconds);
    if (milliseconds > 1000) expect(shown.rushing, `after ${milliseconds} ms`).toBe(true);
    const told = shown.written;
    vi.advanceTimersByTime(1500);
    expect(shown.rushing, `at rest after ${milliseconds} ms`).toBe(false);
    expect(shown.written).not.toBe(told);
    expect(vi.getTimerCount()).toBe(0);
  }
});

it("tells single records soon and never says that they rush", () => {
  const told = vi.fn();
  const shown = new Shown(told);
  const before = shown.written;
  shown.append([]);
  vi.advanceTimersByTime(100);
  expect(told).toHaveBeenCalledOnce();
  expect(shown.written).not.toBe(before);
  expect(shown.rushing).toBe(false);
});

it("tells of the first op at once, however fast others follow", () => {
  const told = vi.fn();
  const shown = new Shown(told);
  shown.append([opRecord]);
  expect(told).toHaveBeenCalledOnce();
  for (let spent = 0; spent < 120; spent += 20) {
    vi.advanceTimersByTime(20);
    shown.append([]);
  }
  expect(told).toHaveBeenCalledOnce();
});

describe("on a busy page", () => {
  it("tells at the latest a second after what it has not told, though no timer comes in time", () => {
    const told = vi.fn();
    const shown = new Shown(told);
    const clock = vi.spyOn(performance, "now");
    for (const now of [5000, 5300, 5600, 5900]) {
      clock.mockReturnValue(now);
      shown.append([]);
    }
    expect(told).not.toHaveBeenCalled();
    clock.mockReturnValue(6000);
    shown.append([]);
    expect(told).toHaveBeenCalledOnce();
    expect(shown.rushing).toBe(true);
    clock.mockRestore();
  });

  it("does not take a wait of its own for a pause of the program", () => {
    let waiting = true;
    const told = vi.fn();
    const shown = new Shown(told, () => waiting);
    shown.append([]);
    vi.advanceTimersByTime(900);
    expect(told).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(told).toHaveBeenCalledOnce();
    expect(shown.rushing).toBe(true);
    waiting = false;
    vi.advanceTimersByTime(300);
    expect(told).toHaveBeenCalledTimes(2);
    expect(shown.rushing).toBe(false);
  });
});
