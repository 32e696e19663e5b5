/** The messages of a live run on a page that may be too busy to draw each. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Inbox } from "../../src/protocol/inbox";

let drawing = 0;
let turns: string[] = [];
const waiting = vi.fn();
let inbox: Inbox<string>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => {
    turns.push("");
    setTimeout(frame, drawing);
  });
  turns = [""];
  waiting.mockClear();
  inbox = new Inbox((message) => (turns[turns.length - 1] += message), waiting);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A message comes every 20 milliseconds, so long. In how many turns they are handled. */
async function stream(milliseconds: number): Promise<number> {
  for (let spent = 0; spent < milliseconds; spent += 20) {
    inbox.add(".");
    await vi.advanceTimersByTimeAsync(20);
  }
  return turns.filter((each) => each !== "").length;
}

it("handles all that have arrived in one turn, in their order", async () => {
  for (const message of "abc") inbox.add(message);
  expect(waiting.mock.calls).toEqual([[true]]);
  await vi.runAllTimersAsync();
  expect(turns).toEqual(["abc", ""]);
  expect(waiting.mock.calls).toEqual([[true], [false]]);
});

it("handles each message at once on a page that is drawn at once", async () => {
  drawing = 5;
  expect(await stream(1000)).toBe(50);
});

it("rests after a turn for as long as it took, and gathers meanwhile", async () => {
  drawing = 300;
  expect(await stream(3000)).toBeLessThanOrEqual(5);
  await vi.runAllTimersAsync();
  expect(turns.join("")).toHaveLength(150);
});

it("goes on where a hidden page is not drawn", async () => {
  vi.stubGlobal("requestAnimationFrame", () => undefined);
  await stream(5000);
  expect(turns[0]!.length).toBeGreaterThan(150);
});

it("drops what is not handled yet", async () => {
  inbox.add("a");
  inbox.clear();
  await vi.runAllTimersAsync();
  expect(turns.join("")).toBe("");
  expect(waiting).toHaveBeenLastCalledWith(false);
});
