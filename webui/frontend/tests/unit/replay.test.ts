import { describe, expect, it } from "vitest";
import { telling } from "../../src/app/replay";
import type { Step } from "../../src/protocol";

const step = (number: number, backwards: number, values: boolean): Step =>
  ({ step: number, first: number, last: number, backwards, values }) as Step;

describe("the step that a file opens with", () => {
  it("is the last with a backward and values, not an evaluation after it", () => {
    expect(telling([step(0, 1, true), step(1, 1, true), step(2, 1, false), step(3, 0, true)])?.step).toBe(1);
  });

  it("is the last with a backward where no values were taken", () => {
    expect(telling([step(0, 1, false), step(1, 1, false), step(2, 0, false)])?.step).toBe(1);
  });

  it("is the newest where no backward ran", () => {
    expect(telling([step(0, 0, true), step(1, 0, false)])?.step).toBe(1);
    expect(telling([])).toBeUndefined();
  });
});
