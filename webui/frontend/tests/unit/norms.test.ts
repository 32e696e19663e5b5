/** The gradients' norms: what is drawn of them, and what is said. */
import { describe, expect, it } from "vitest";
import { Carried } from "../../src/app/replay";
import { decadesOf, onePerPixel, pathOf, powerOfTen, shareOf, stepScale, ticksOf } from "../../src/model/curves";
import { type Norm, gradientsOf, linesOf, nearestLine, remarksIn, said } from "../../src/model/norms";
import { readHash, writeHash, EMPTY_VIEW } from "../../src/model/url";
import type { Gradients, GradNorm, Run, Step } from "../../src/protocol";

const numbersOf = (path: string): number[][] =>
  [...path.matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

describe("a curve", () => {
  it("goes through every point where there is room", () => {
    expect(pathOf([0, 1, 2].map((x) => ({ x: 10 * x, y: x })))).toBe("M0.0,0.0L10.0,1.0 20.0,2.0");
  });

  it("has at most two points a pixel, and keeps the highest and the lowest", () => {
    const points = Array.from({ length: 10_000 }, (_, i) => ({ x: i / 100, y: i === 5004 ? 99 : i === 5006 ? 1 : 50 }));
    const drawn = numbersOf(pathOf(points));
    expect(drawn.length).toBeLessThanOrEqual(2 * 101);
    const heights = drawn.map(([, y]) => y);
    expect([Math.min(...heights.map(Number)), Math.max(...heights.map(Number))]).toEqual([1, 99]);
    expect(drawn.map(([x]) => x)).toEqual(drawn.map(([x]) => x).toSorted((a, b) => a! - b!));
  });

  it("breaks off where nothing is to be drawn, and a point alone is a dot", () => {
    const at = (x: number) => ({ x, y: 1 });
    expect(pathOf([at(0), at(5), null, at(10), null])).toBe("M0.0,1.0L5.0,1.0M10.0,1.0h0");
    expect(pathOf([null, null])).toBe("");
  });

  it("stands on an axis of steps, one mark a pixel", () => {
    const x = stepScale(10, 20, 108);
    expect([x(10), x(15), x(20)]).toEqual([4, 54, 104]);
    expect(stepScale(3, 3, 100)(3)).toBe(4);
    expect(onePerPixel([1, 2, 3], (step) => step / 10)).toHaveLength(1);
    expect(onePerPixel([1, 2, 3], (step) => step * 10)).toEqual([1, 2, 3]);
  });
});

describe("an axis of powers of ten", () => {
  it("reaches from the least to the most, and over two powers at least", () => {
    expect(decadesOf([3e-9, 0.02, 4])).toEqual({ low: -9, high: 1 });
    expect(decadesOf([5, 6])).toEqual({ low: -1, high: 1 });
    expect(decadesOf([0, NaN, Infinity])).toBeNull();
    expect(shareOf(1e-4, { low: -9, high: 1 })).toBeCloseTo(0.5);
  });

  it("has few and even numbers", () => {
    expect(ticksOf({ low: -9, high: 1 }, 5)).toEqual([1, -2, -5, -8]);
    expect(ticksOf({ low: -2, high: 0 }, 5)).toEqual([0, -1, -2]);
    expect([1, 0, -12].map(powerOfTen)).toEqual(["10¹", "10⁰", "10⁻¹²"]);
  });
});

const curves = (norms: Record<string, Norm[]>): Gradients => ({
  steps: Object.values(norms)[0]!.map((_, i) => i),
  parameters: Object.entries(norms).map(([name, each], i) => ({ tensor: i + 1, name, norms: each })),
});
const remarks = (norms: Record<string, Norm[]>, step = 0): Record<string, string | null> =>
  Object.fromEntries(linesOf(curves(norms), step, null).map(({ label, remark }) => [label, remark]));

describe("what is remarkable", () => {
  it("is a layer whose gradient vanishes beside the others'", () => {
    const chain = Object.fromEntries([1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1].map((norm, i) => [`${i}.weight`, [norm]]));
    expect(remarks(chain)).toMatchObject({ "0.weight": "vanishing", "1.weight": "vanishing", "4.weight": null });
    expect(remarks({ a: [1e-7], b: [2e-7], c: [1e-7] })).toEqual({ a: null, b: null, c: null });
  });

  it("is one that explodes, as long as it does, and not one that was long at first", () => {
    const spike = { a: [1, 2, 1, 5000, 1], b: [9000, 1, 1, 1, 1] };
    expect(remarks(spike, 3)).toEqual({ a: "exploding", b: null });
    expect(remarks(spike, 4)).toEqual({ a: null, b: null });
    expect(remarks(spike, 0).b).toBeNull();
    expect(remarks({ a: [1, 2, 5000] }, 2), "of so few steps nobody can say what is long").toEqual({ a: null });
  });

  it("is one that never came, one that does not come any more, zero, NaN and infinity", () => {
    const norms = {
      never: ["none", "none"],
      gone: [1, "none"],
      dead: [1, 0],
      nan: [1, "nan"],
      inf: [1, "inf"],
    } as const;
    const found = remarks(norms as unknown as Record<string, Norm[]>, 1);
    expect(found).toEqual({ never: "none", gone: "gone", dead: "zero", nan: "nan", inf: "inf" });
    const lines = linesOf(curves(norms as unknown as Record<string, Norm[]>), 1, null);
    expect(remarksIn(lines).map(({ remark }) => remark)).toEqual(["nan", "inf", "none", "zero", "gone"]);
  });

  it("is nothing in a step that tells of no norms", () => {
    expect(remarks({ a: [1, null] }, 1)).toEqual({ a: null });
    expect(remarks({ a: [1] }, 77)).toEqual({ a: null });
  });
});

describe("a line", () => {
  it("has the number of the step that is shown from that step itself, where it was thinned out", () => {
    const data: Gradients = { steps: [0, 8], parameters: [{ tensor: 5, name: "w", norms: [1, 2] }], every: 8 };
    const own: GradNorm[] = [{ tensor: 5, name: "w", norm: 1.25 }];
    expect(linesOf(data, 3, own)[0]!.now).toBe(1.25);
    expect(linesOf(data, 3, null)[0]!.now).toBeNull();
    expect(linesOf(data, 8, null)[0]!.now).toBe(2);
    expect(linesOf(data, 3, [{ tensor: 5, norm: null, not_finite: "nan" }])[0]!.now).toBe("nan");
    expect(linesOf(data, 3, [{ tensor: 5, norm: null }])[0]!.now).toBe("none");
  });

  it("has a label of its own, where two networks have layers of one name or there is none", () => {
    const parameters = [3, 4, 5].map((tensor) => ({ tensor, name: tensor < 5 ? "0.weight" : null, norms: [1] }));
    const labels = linesOf({ steps: [0], parameters }, 0, null).map(({ label }) => label);
    expect(labels).toEqual(["0.weight (1)", "0.weight (2)", "tensor 5"]);
  });

  it("is found by the pointer that is near it", () => {
    const lines = linesOf(curves({ low: [1, 1, 1], high: [1, 9, "nan"], absent: [null, null, null] }), 0, null);
    const near = (x: number, y: number) =>
      nearestLine(
        lines,
        [0, 1, 2],
        { x, y },
        (step) => step * 10,
        (norm) => norm,
      );
    expect(near(11, 8)).toMatchObject({ line: { label: "high" }, distance: 1 });
    expect(near(11, 2)).toMatchObject({ line: { label: "low" } });
    expect(near(21, 8)).toMatchObject({ line: { label: "low" } });
    expect(nearestLine([], [], { x: 0, y: 0 }, Number, Number)).toBeNull();
  });

  it("is said in few letters", () => {
    expect([0.03124, 2.2e-10, 0, "nan", "inf", "none", null].map((norm) => said(norm as Norm))).toEqual([
      "0.0312",
      "2.2e−10",
      "0",
      "NaN",
      "∞",
      "none",
      "–",
    ]);
  });
});

describe("a file that carries a run", () => {
  const end = (seq: number, step: number, grad_norms: GradNorm[]) => ({
    seq,
    t: 0,
    step,
    type: "step_taken",
    grad_norms,
  });
  const row = (step: number, norms: number | null): Step => ({ step, first: 1, last: 9, norms });
  const ends = [
    end(2, 0, [{ tensor: 1, name: "w", norm: 0.5 }]),
    end(5, 2, [
      { tensor: 2, name: "v", norm: null },
      { tensor: 1, name: "w", norm: null, not_finite: "nan" },
    ]),
  ];
  const run: Run = { id: "a", name: "a.py", status: "finished", started: "2026-01-01T00:00:00Z" };
  const file = new Carried([{ run, steps: [row(0, 2), row(1, null), row(2, 5)], records: ends }]);

  it("tells the same of its gradients as the server would", async () => {
    expect(await file.gradients("a")).toEqual({
      every: 1,
      left_out: 0,
      steps: [0, 2],
      parameters: [
        { tensor: 2, name: "v", norms: [null, "none"] },
        { tensor: 1, name: "w", norms: [0.5, "nan"] },
      ],
    });
    await expect(file.gradients("b")).rejects.toThrow("no run b");
    expect(gradientsOf([row(0, null)], () => ({}))).toEqual({ every: 1, left_out: 0, steps: [], parameters: [] });
  });
});

it("a link holds which curves are shown", () => {
  expect(writeHash({ ...EMPTY_VIEW, run: "a", norms: true })).toBe("#run=a&curves=norms");
  expect([readHash("#run=a&curves=norms").norms, readHash("#run=a").norms]).toEqual([true, false]);
});
