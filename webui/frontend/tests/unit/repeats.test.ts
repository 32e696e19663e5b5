import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { describe, expect, it } from "vitest";
import { mlpRun, transformerRun } from "../../fixtures/runs";
import { Tape } from "../../fixtures/tape";
import { compose } from "../../src/layout/compose";
import { slim } from "../../src/layout/slim";
import { CachingSolver } from "../../src/layout/solver";
import { detailOf, type Module, titleOf } from "../../src/model/module";
import { NO_WISH } from "../../src/model/modules";
import { distinctNames, repeatsIn } from "../../src/model/repeats";
import { Structure } from "../../src/model/structure";
import { covers, type Visible, visibleGraph } from "../../src/model/visible";
import { share } from "../../src/render/strips";
import type { AnyRecord } from "../../src/protocol";

const letters = (text: string): number[] => [...text].map((c) => c.charCodeAt(0));
const never = (): boolean => false;

function structureOf(records: AnyRecord[]): Structure {
  const structure = new Structure();
  structure.append(records);
  return structure;
}

/** A cell of four ops that runs `passes` times: its ops are on two lines, and no module is around them. */
function loop(passes: number): AnyRecord[] {
  const tape = new Tape("loop.py", "for x in xs:\n    h = tanh(h @ w + x)\n    h = h * h\nloss = h.mean()\n", {
    id: "loop",
    name: "loop.py",
  });
  const value = (): ReturnType<Tape["tensor"]> => tape.tensor(tape.random(2, 2, 0.5), { shape: [2, 2] });
  const w = tape.tensor(tape.random(2, 2, 0.5), { name: "w", parameter: true, shape: [2, 2] });
  let h = value();
  for (let pass = 0; pass < passes; pass++) {
    const sum = tape.op("Add", [tape.op("MatMul", [h, w], "h = tanh"), value()], "h = tanh");
    const bent = tape.op("Tanh", [sum], "h = tanh");
    h = tape.op("Mul", [bent, bent], "h = h * h");
  }
  tape.op("Mean", [h], "loss = h.mean()", "loss");
  tape.finish("finished");
  return tape.records;
}

describe("repeats in a text", () => {
  it("are found where they begin, with the shortest pass", () => {
    expect(repeatsIn(letters("xabcabcabcabcy"), never)).toEqual([{ start: 1, period: 3, count: 4 }]);
  });

  it("are not three of a kind, nor a short row of one op", () => {
    expect(repeatsIn(letters("abcabcabc"), never)).toEqual([]);
    expect(repeatsIn(letters("aaaaa"), never)).toEqual([]);
    expect(repeatsIn(letters("aaaaa"), () => true)).toEqual([{ start: 0, period: 1, count: 5 }]);
  });

  it("may hold repeats themselves: the outermost counts", () => {
    expect(repeatsIn(letters("aaaaaaaab".repeat(5)), never)).toEqual([{ start: 0, period: 9, count: 5 }]);
  });
});

describe("what repeats", () => {
  it("is one box, twelve of them: Block ×12", () => {
    const visible = visibleGraph(structureOf(transformerRun("t", 12)), new Map());
    const stack = visible.modules.get("m/model/blocks.0*")!;
    expect([titleOf(stack), detailOf(stack)]).toEqual(["Block ×12", "blocks.0 … blocks.11"]);
    expect(stack.folded).toBe(true);
    expect(visible.shown.get("m/model/blocks.7")).toBe("m/model/blocks.0*");
  });

  it("opens to its members, each of which opens by itself", () => {
    const structure = structureOf(transformerRun("t", 12));
    const open = visibleGraph(structure, new Map([["m/model/blocks.0*", false]]));
    expect([...open.items.keys()].filter((k) => /blocks\.\d+$/.test(k))).toHaveLength(12);
    const folds = new Map([...["blocks.0*", "blocks.3"].map((k) => [`m/model/${k}`, false] as const)]);
    expect(visibleGraph(structure, folds).modules.get("m/model/blocks.3/mlp")?.parent?.folded).toBe(false);
  });

  it("may be a loop without any module: its passes stand together, what they share stands beside them", () => {
    const structure = structureOf(loop(20));
    const visible = visibleGraph(structure, new Map());
    const stack = [...visible.modules.values()].find((m) => m.stack)!;
    expect([titleOf(stack), detailOf(stack), stack.modules.length]).toEqual(["Loop ×20", "lines 2–3", 20]);
    expect(visible.items.get(structure.leafKey([...structure.leaves.keys()][1]!))).toMatchObject({ frame: "m" });
    expect(visible.items.size).toBeLessThan(8);
  });

  it("stays apart in a small graph, unless there is less room than that", () => {
    const stacks = (boxes: number): boolean =>
      [...visibleGraph(structureOf(loop(6)), new Map(), null, { ...NO_WISH, boxes }).modules.values()].some(
        (m) => m.stack,
      );
    expect([stacks(60), stacks(8)]).toEqual([false, true]);
  });

  it("keeps its place while the next step grows", () => {
    const records = loop(20);
    const whole = visibleGraph(structureOf(records), new Map());
    for (const n of [4, 9, 30, 57, records.length]) {
      expect(covers(whole, visibleGraph(structureOf(records.slice(0, n)), new Map(), whole)), `${n}`).toBe(true);
    }
  });

  it("has as many passes as there are, though the step before had fewer, or its end was not seen", () => {
    const stacked = (passes: number, before: Visible | null = null): Visible =>
      visibleGraph(structureOf(loop(passes)), new Map(), before);
    const stacks = (visible: Visible): (string | number)[][] =>
      [...visible.modules.values()].flatMap((m) => (m.stack ? [[titleOf(m), m.stack.names.length]] : []));
    expect(stacks(stacked(20, stacked(18)))).toEqual([["Loop ×20", 20]]);
  });

  it("ends where another op follows, though the step before had more passes", () => {
    /** A net that calls its cell so many times, and then computes something else. */
    const net = (passes: number, others: number): Structure => {
      const tape = new Tape("net.py", "h = net(x)", { id: "net", name: "net.py" });
      let h = tape.tensor(tape.random(2, 2, 0.5), { name: "x", shape: [2, 2] });
      tape.inside("net:Net", () => {
        for (let pass = 0; pass < passes; pass++)
          h = tape.inside("cell:Cell", () => tape.op("Tanh", [tape.op("Tanh", [h], "h = net")], "h = net"));
        for (let other = 0; other < others; other++) h = tape.op("Mul", [h, h], "h = net");
      });
      return structureOf(tape.records);
    };
    const few = { ...NO_WISH, boxes: 8 };
    const before = visibleGraph(net(12, 1), new Map(), null, few);
    const stack = (visible: Visible): Module | undefined => visible.modules.get("m/net/cell*");
    expect(stack(before)?.stack?.count).toBe(12);
    for (const passes of [1, 2, 7, 11])
      for (const others of [1, 2]) {
        const now = visibleGraph(net(passes, others), new Map(), before, few);
        const all = [...now.modules.values()].flatMap((m) => m.ops);
        expect(all.length, "every op once").toBe(2 * passes + others);
        expect(stack(now)?.ops ?? [], "none but cells").toEqual([]);
      }
  });

  it("has as many passes as have run once the step is over, though the step before had more", () => {
    const stacked = (passes: number, over: boolean, before: Visible | null = null): Visible => {
      const structure = structureOf(loop(passes));
      if (over) structure.append([{ seq: 1000, t: 1, step: 0, type: "step_taken" } as AnyRecord]);
      return visibleGraph(structure, new Map(), before);
    };
    const counts = (visible: Visible): number[] =>
      [...visible.modules.values()].flatMap((m) => (m.stack ? [m.stack.count, m.stack.names.length] : []));
    const before = stacked(30, true);
    expect(counts(stacked(12, false, before))).toEqual([30, 30]);
    expect(counts(stacked(12, true, before))).toEqual([12, 12]);
    expect(counts(stacked(30, true, before))).toEqual([30, 30]);
  });

  it("goes back to the very same places when it is folded again", async () => {
    const solver = new CachingSolver(await Graphviz.load());
    const structure = structureOf(transformerRun("t", 12));
    const place = (open: boolean): unknown =>
      compose(slim(visibleGraph(structure, new Map([["m/model/blocks.0*", !open]]))), solver.solve).boxes;
    const before = place(false);
    expect(place(true)).not.toEqual(before);
    expect(place(false)).toEqual(before);
  });

  it("is not a net of two different layers", () => {
    const visible = visibleGraph(structureOf(mlpRun("m", 1)), new Map());
    expect([...visible.modules.values()].every((m) => m.stack === null)).toBe(true);
  });
});

describe("two or three passes", () => {
  const pass = (length: number): number[] => Array.from({ length }, (_, i) => i);

  it("are a loop where a pass is long: the tasks of one MAML step", () => {
    const text = [99, ...pass(57), ...pass(57), ...pass(57), 98];
    expect(repeatsIn(text, () => false)).toEqual([{ start: 1, period: 57, count: 3 }]);
    expect(repeatsIn([...pass(20), ...pass(20)], () => false)).toEqual([{ start: 0, period: 20, count: 2 }]);
  });

  it("are read one after another where a pass is short", () => {
    expect(repeatsIn([...pass(15), ...pass(15), ...pass(15)], () => false)).toEqual([]);
    expect(repeatsIn([...pass(18), ...pass(18)], () => false)).toEqual([]);
  });
});

describe("instances of a stack", () => {
  const told = (...names: string[]): string => distinctNames(names).join(" ");

  it("are called by what tells them apart", () => {
    expect(told("blocks.0", "blocks.1", "blocks.39")).toBe("0 1 39");
    expect(told("h.0.attn", "h.1.attn", "h.2.attn")).toBe("0 1 2");
    expect(told("cell", "cell (2)", "cell (3)")).toBe("1 2 3");
    expect(told("cell (4)", "cell (5)")).toBe("4 5");
    expect(told("pass 1", "pass 2")).toBe("1 2");
    expect(told("left", "right")).toBe("left right");
    expect(told("a.0", "b.0")).toBe("a b");
    expect(told("conv1", "conv2", "conv3")).toBe("conv1 conv2 conv3");
  });

  it("are called by their numbers alone where there are many", () => {
    const many = Array.from({ length: 20 }, (_, i) => `heads.task${i}`);
    expect(told(...many)).toBe(many.map((_, i) => i).join(" "));
  });

  it("that are not finite stand out as the largest", () => {
    expect([NaN, Infinity, 1, 10, 100].map((norm) => share(norm, [0, 2]))).toEqual([1, 1, 0, 0.5, 1]);
  });

  it("keep the whole name where one is alone", () => {
    expect(told("blocks.0")).toBe("blocks.0");
  });
});
