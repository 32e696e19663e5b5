import { expect, it } from "vitest";
import { History } from "../../src/model/history";
import type { AnyRecord } from "../../src/protocol";

it("tells a recording that stopped from one with gaps", () => {
  const at = { t: 0, step: 0 };
  const dropped = (seq: number, count: number, reason: string): AnyRecord => ({
    ...at,
    seq,
    type: "dropped",
    count,
    reason,
  });
  const made = new History();
  made.append([dropped(1, 5, "the explorer took them more slowly than they came")]);
  expect(made.at(made.length)).toMatchObject({
    dropped: 5,
    gap: "the explorer took them more slowly than they came",
    stopped: null,
  });
  made.append([dropped(2, 0, "the recorder failed and stopped listening: GradError('...')")]);
  expect(made.at(made.length)).toMatchObject({ dropped: 5, stopped: expect.stringContaining("GradError") as string });
});
