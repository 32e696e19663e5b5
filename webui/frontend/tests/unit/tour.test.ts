/** The stops of a tour say only what the records prove. */
import { describe, expect, it } from "vitest";
import { trace } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { Structure } from "../../src/model/structure";
import { type Stop, tourOf } from "../../src/model/tour";
import type { Run, Step } from "../../src/protocol";

const losses = (...all: (number | null)[]): Step[] =>
  all.map((loss, step) => ({ step, first: 1, last: 1, loss, not_finite: loss === null ? "nan" : null }));

function tour(name: string, steps: Step[] = [], run: Run | null = null): Record<string, Stop> {
  const [graph, history] = [new Structure(), new History()];
  const records = trace(name).filter((record) => (record.step ?? 0) === 0);
  graph.append(records);
  history.append(records);
  const stops = tourOf(run, steps, { step: 0, graph, state: history.at(history.length) });
  return Object.fromEntries(stops.map((stop) => [stop.id, stop]));
}

describe("over the steps", () => {
  it("names where the loss rose most, and nothing where it only fell", () => {
    const found = tour("expression", losses(4, 3, 2, 9, 1));
    expect(found.loss!.words).toBe("The loss begins at 4 and ends at 1 in step 4; that is its lowest value.");
    expect(found.jump!.words).toContain("In step 3 the loss rises from 2 to 9, 4.5 times as large");
    expect(found.jump!.step).toBe(3);
    expect(tour("expression", losses(4, 3, 2.9, 3))).not.toHaveProperty("jump");
    expect(tour("expression", losses(4))).not.toHaveProperty("loss");
  });

  it("takes no NaN for a loss, and has where it began as a stop of its own", () => {
    const run = { trouble: { step: 2, seq: 9, kind: "nan", message: "Sqrt made 1 NaN of finite numbers.", line: 4 } };
    const found = tour("expression", losses(4, 3, null), run as Run);
    expect(found.loss!.words).toContain(
      "ends at 3 in step 1; that is its lowest value; from step 2 on it is not finite.",
    );
    expect(found.trouble).toMatchObject({
      step: 2,
      at: 9,
      words: "Step 2, line 4: Sqrt made 1 NaN of finite numbers.",
    });
  });
});

describe("in the step", () => {
  it("has the largest gradient, what is used most, and where backward began, each with its explanation", () => {
    const found = tour("expression");
    expect(found.largest!.words).toMatch(/^Its norm is 2\.386\. a, a leaf, is used 3 times/);
    expect(found.reused!.words).toMatch(/^3 ops use it/);
    expect(found.root!.words).toMatch(/^Tanh #3/);
    expect(found).not.toHaveProperty("smallest");
    expect(found).not.toHaveProperty("none");
  });
});
