import { describe, expect, it } from "vitest";
import { Tape } from "../../fixtures/tape";
import { detailOf, titleOf } from "../../src/model/module";
import { NO_WISH, type Wish } from "../../src/model/modules";
import { Structure } from "../../src/model/structure";
import { type Visible, visibleGraph } from "../../src/model/visible";
import type { AnyRecord } from "../../src/protocol";

function structureOf(records: AnyRecord[]): Structure {
  const structure = new Structure();
  structure.append(records);
  return structure;
}

const drawn = (records: AnyRecord[], wish: Partial<Wish> = {}, before: Visible | null = null): Visible =>
  visibleGraph(structureOf(records), new Map(), before, { ...NO_WISH, ...wish });

const LINES = 40;

/** A program in which each of its many lines is `x = relu(x)`. */
class Program extends Tape {
  x = this.tensor(this.random(2, 2), { name: "x", requires: true });

  constructor() {
    const text = Array.from({ length: LINES }, (_, i) => `x = relu(x)  # ${i + 1};`).join("\n");
    super("program.py", text, { id: "program", name: "program.py" });
  }

  /** Runs `count` ops on a line, in the function and the calls that `calls` names. */
  run(line: number, count: number, ...calls: string[]): void {
    this.calls = calls;
    for (let i = 0; i < count; i++) {
      this.x = this.op("ReLU", [this.x], `# ${line};`, i === count - 1 ? `x${line}` : null);
      const { at } = this.records.findLast((record) => record.type === "node")!;
      at!.function = calls.at(-1)?.replace(/ .*/, "") ?? "<module>";
    }
  }
}

/** The frames and closed boxes, without rows of equal ops. */
const keysOf = (visible: Visible): string[] =>
  [...visible.modules.keys()].filter((key) => key !== "m" && !key.includes("@"));

describe("the program's functions", () => {
  /** A net of functions: four blocks with two norms each, all of it in `main` and `net`. */
  function net(blocks: number, main: string[] = ["main"]): Program {
    const program = new Program();
    program.run(1, 2, ...main, "net");
    for (let i = 1; i <= blocks; i++) {
      const block = i === 1 ? "block" : `block (${i})`;
      for (const norm of ["norm", "norm (2)"]) {
        program.run(2, 5, ...main, "net", block, norm);
        program.run(3, 2, ...main, "net", block);
      }
    }
    program.run(4, 1, ...main, "net", "head");
    program.run(5, 1, ...main);
    return program;
  }

  it("are boxes, like modules; not those around everything, nor those of one op", () => {
    const visible = drawn(net(3).records);
    expect(keysOf(visible).filter((key) => key.split("/").length < 4)).toEqual([
      ...["m/net()", "m/net()/block()", "m/net()/block() (2)", "m/net()/block() (3)"],
    ]);
    const norms = [...visible.modules.values()].filter(({ key }) => key.includes("norm"));
    expect(norms.map(titleOf)).toEqual(Array.from({ length: 3 }, () => ["norm()", "norm() (2)"]).flat());
    expect(norms.map(detailOf).join("")).toBe("");
  });

  it("have the same boxes in a later step, which began within them", () => {
    expect(keysOf(drawn(net(3, []).records))).toEqual(keysOf(drawn(net(3).records)));
  });

  it("that are called again and again are one card", () => {
    const stack = [...drawn(net(4).records).modules.values()].find((module) => module.stack);
    expect(titleOf(stack!)).toBe("block() ×4");
    expect(detailOf(stack!)).toBe("");
    expect(stack!.stack!.names).toEqual(["block()", "block() (2)", "block() (3)", "block() (4)"]);
  });

  it("are drawn in a step of few ops only if the step before had them", () => {
    const short = net(1).records;
    expect(keysOf(drawn(short))).toEqual([]);
    const running = drawn(short, {}, drawn(net(3).records));
    expect(keysOf(running)).toContain("m/net()/block()/norm()");
    expect(keysOf(drawn(short, { deep: true }, running))).toEqual([]);
  });

  it("are in the group of what has no gradient, if none of it has; else that group is in them", () => {
    const program = new Program();
    const data = program.tensor(program.random(2, 2), { name: "data" });
    const [x, y] = [program.x, data];
    const run = (tensor: typeof x, line: number, count: number, ...calls: string[]): void => {
      program.x = tensor;
      program.run(line, count, ...calls);
    };
    run(y, 1, 3, "load");
    run(y, 2, 3, "load (2)");
    run(x, 3, 20, "net");
    run(y, 4, 5, "net");
    run(x, 5, 20, "net");
    run(x, 6, 3);
    expect(keysOf(drawn(program.records))).toEqual([
      ...["m/no gradient", "m/no gradient/load()", "m/no gradient/load() (2)", "m/net()", "m/net()/no gradient (2)"],
    ]);
  });

  it("have no box where something else ran between their ops: lines would lead into it and out again", () => {
    const program = new Program();
    program.run(1, 20);
    program.run(2, 10, "step");
    program.inside("net:Net", () => program.run(3, 10));
    program.run(2, 10, "step");
    program.run(4, 10, "loss");
    expect(keysOf(drawn(program.records))).toEqual(["m/net", "m/loss()"]);
  });
});

describe("a frame with more ops than can be read", () => {
  /** Thirty lines of one to three ops. */
  function long(lines = 30): Program {
    const program = new Program();
    for (let line = 1; line <= lines; line++) program.run(line, 1 + (line % 3));
    return program;
  }

  it("is grouped by lines; a line of one op is that op", () => {
    const visible = drawn(long().records, { boxes: 40, deep: true });
    expect(keysOf(visible)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1).flatMap((line) => (line % 3 === 0 ? [] : [`m/line ${line}`])),
    );
    expect([...visible.items.values()].filter((item) => item.kind === "op")).toHaveLength(10);
    expect(detailOf(visible.modules.get("m/line 7")!)).toBe("x7");
  });

  it("is grouped by so many lines that the groups can be read", () => {
    const visible = drawn(long().records, { boxes: 12, deep: true });
    expect(keysOf(visible).slice(0, 2)).toEqual(["m/lines 1–3", "m/lines 4–6"]);
    expect(detailOf(visible.modules.get("m/lines 4–6")!)).toBe("x4, x5, x6");
    for (const boxes of [40, 20, 12, 6])
      expect(drawn(long().records, { boxes, deep: true }).items.size).toBeLessThan(boxes + 2);
  });

  it("is not, where all of it can be read, or nothing would be gained", () => {
    expect(keysOf(drawn(long().records, { boxes: 100, deep: true }))).toEqual([]);
    const line = new Program();
    line.run(1, 60);
    expect(keysOf(drawn(line.records, { boxes: 12, deep: true })).filter((key) => key.includes("line"))).toEqual([]);
  });

  it("has, while it runs, the groups that the step before will have, from its first op on", () => {
    const first = drawn(long().records, { boxes: 12 });
    expect(keysOf(first)).toEqual([]);
    const whole = keysOf(drawn(long().records, { boxes: 12, deep: true }));
    for (const lines of [3, 6, 9, 15, 30]) {
      const running = drawn(long(lines).records, { boxes: 12 }, first);
      expect(keysOf(running)).toEqual(whole.slice(0, lines / 3));
    }
  });

  it("is grouped while it runs only if the step before was as long: nothing that was shown disappears", () => {
    const before = drawn(long(20).records, { boxes: 50 });
    expect(keysOf(drawn(long(30).records, { boxes: 50 }, before))).toEqual([]);
    expect(keysOf(drawn(long(30).records, { boxes: 50, deep: true }, before))).not.toEqual([]);
  });

  it("keeps lines of two functions apart, and the passes of a loop", () => {
    const program = new Program();
    for (let i = 1; i <= 3; i++) {
      program.run(1, 4);
      program.run(2, 1 + i);
      program.run(3, 7);
      program.run(4, 2, i === 1 ? "f" : `f (${i})`);
    }
    expect(keysOf(drawn(program.records, { boxes: 10, deep: true }))).toEqual(
      ["", " (2)", " (3)"].flatMap((pass) => [`m/lines 1–2${pass}`, `m/line 3${pass}`, `m/f()${pass}`]),
    );
  });
});
