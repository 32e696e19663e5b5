import { describe, expect, it } from "vitest";
import { Tape } from "../../fixtures/tape";
import { trace } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { compose } from "../../src/layout/compose";
import { solveLinear } from "../../src/layout/linear";
import { slim } from "../../src/layout/slim";
import { lineOf } from "../../src/model/collectives";
import { bytesOf, total } from "../../src/model/memory";
import { compare, type Side } from "../../src/model/compare";
import { companions, type Lane, merged } from "../../src/model/ranks";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";
import type { AnyRecord, Run } from "../../src/protocol";

const run = (rank: number, started: string, launch = "here-7"): Run => ({
  id: `r${rank}${launch}`,
  name: `rank ${rank}`,
  status: "finished",
  started,
  rank,
  world_size: 2,
  launch,
});
const [zero, one] = [run(0, "2026-01-01T00:00:00.000Z"), run(1, "2026-01-01T00:00:00.010Z")];

describe("ranks", () => {
  it("belong together by their launch, in the order of rank", () => {
    const others = [
      one,
      run(1, "2026-01-01T00:00:00Z", "elsewhere"),
      { ...zero, id: "alone", rank: null, launch: null },
    ];
    expect(companions(zero, others).map((r) => r.id)).toEqual([zero.id, one.id]);
    expect(companions(others[2]!, others)).toEqual([]);
  });

  it("of launches that are called the same belong together where they began together", () => {
    const at = (rank: number, time: string): Run => ({
      ...run(rank, `2026-01-01T${time}Z`, "none"),
      id: `${rank} ${time}`,
    });
    const [early, late] = [
      [at(0, "10:00:00"), at(1, "10:00:07")],
      [at(0, "11:00:07"), at(1, "11:00:00")],
    ];
    for (const runs of [early!, late!])
      for (const each of runs)
        for (const listed of [
          [...early!, ...late!],
          [...late!, ...early!],
        ])
          expect(companions(each, listed)).toEqual(runs);
  });

  it("are compared each with itself, in whatever order their ops ran", () => {
    const records = trace("learning").filter((r) => (r.step ?? 0) === 2);
    const sideOf = (...lanes: Lane[]): Side => {
      const [graph, history] = [new Structure(), new History()];
      graph.append(merged(lanes));
      history.append(merged(lanes));
      return { graph, state: history.at(history.length) };
    };
    const [first, second] = [
      { run: zero, records },
      { run: one, records: records.filter((r) => r.type !== "node" || r.op !== "Tanh") },
    ];
    const slow = { ...first, run: { ...zero, started: "2026-01-01T00:01:00.000Z" } };
    expect(compare(sideOf(first, second), sideOf(slow, second))).toEqual([]);
    const other = compare(sideOf(first, second), sideOf(first, { run: one, records }));
    expect(other).not.toEqual([]);
    expect(other.map((d) => d.label).filter((label) => !label.startsWith("rank 1 "))).toEqual([]);
  });

  it("count the calls of a module each for itself, though they call it in turn", () => {
    const called = (times: number): AnyRecord[] => {
      const tape = new Tape("cell.py", "h = cell(h)\n", { id: "cell", name: "cell.py" });
      let h = tape.tensor(tape.random(1, 2), { name: "h", parameter: true, shape: [1, 2] });
      const call = (): void => void (h = tape.op("Tanh", [h], "h = cell(h)"));
      for (let i = 0; i < times; i++) tape.inside("cell:Cell", call);
      return tape.records;
    };
    const graph = new Structure();
    graph.append(merged([zero, one].map((run, rank) => ({ run, records: called(rank + 2) }))));
    const paths = [...graph.nodes.keys()].map((id) => graph.scopeOf(id).join("/"));
    expect(paths.sort()).toEqual([
      "rank 0:Rank/cell (2):Cell",
      "rank 0:Rank/cell:Cell",
      "rank 1:Rank/cell (2):Cell",
      "rank 1:Rank/cell (3):Cell",
      "rank 1:Rank/cell:Cell",
    ]);
  });

  it("number their ops and leaves each for itself, in whatever order and however far they ran", () => {
    const records = trace("learning").filter((r) => (r.step ?? 0) === 2);
    const keysOf = (...lanes: Lane[]): Map<string, string> => {
      const graph = new Structure();
      graph.append(merged(lanes));
      const found = new Map<string, string>();
      for (const [id, node] of graph.nodes) {
        expect(graph.nodeOfKey(graph.opKey(id))).toBe(id);
        found.set(graph.opKey(id), `${node.scope![0]} ${node.op} ${node.at?.line}`);
      }
      for (const id of graph.leaves.keys()) {
        expect(graph.leafOfKey(graph.leafKey(id))).toBe(id);
        found.set(graph.leafKey(id), `${graph.tensors.get(id)!.name}`);
      }
      return found;
    };
    const both = keysOf({ run: zero, records }, { run: one, records });
    expect(both.get("n3r1")).toMatch(/^rank 1:Rank /);
    expect(both.has("n3")).toBe(false);
    const late = { ...zero, started: "2026-01-01T00:01:00.000Z" };
    expect(keysOf({ run: late, records }, { run: one, records })).toEqual(both);
    const started = keysOf({ run: zero, records: records.slice(0, 20) }, { run: one, records });
    for (const [key, what] of started) expect(both.get(key)).toBe(what);
    for (const [key, what] of keysOf({ run: one, records })) expect(both.get(key)).toBe(what);
  });

  it("cut off what is theirs", () => {
    const cut = { seq: 1, t: 0, step: 2, type: "detached", tensor: 5, result: 6 } as const;
    const records = merged([zero, one].map((each) => ({ run: each, records: [cut] })));
    expect(records.map((r) => r.type === "detached" && [r.tensor, r.result])).toEqual([
      [10, 12],
      [11, 13],
    ]);
  });

  it("show a file once, whichever of them brings it", () => {
    const brings = trace("learning").filter((r) => r.type === "source");
    expect(brings.length).toBeGreaterThan(0);
    const sourcesOf = (...all: AnyRecord[][]): AnyRecord[] =>
      merged(all.map((records, i) => ({ run: [zero, one][i]!, records }))).filter((r) => r.type === "source");
    expect(sourcesOf([], brings)).toHaveLength(brings.length);
    expect(sourcesOf(brings, brings)).toHaveLength(brings.length);
  });

  it("hold together what each of them holds", () => {
    const records = trace("learning").filter((r) => (r.step ?? 0) === 2);
    const peakOf = (...all: AnyRecord[][]): number => {
      const history = new History();
      history.append(merged(all.map((each, i) => ({ run: [zero, one][i]!, records: each }))));
      return history.meter.peak;
    };
    const alone = peakOf(records);
    const first = records.find((r) => r.memory)!;
    expect(alone).toBeGreaterThan(total(bytesOf(first.memory!)));
    const resting = [{ seq: 1, t: -1, type: "step_taken", memory: first.memory } as const];
    expect(peakOf(records, resting)).toBe(alone + total(bytesOf(first.memory!)));
  });

  it("become lanes of one step, each with all that its process did, on one clock", () => {
    const records = trace("learning").filter((r) => (r.step ?? 0) === 2);
    const all = merged([
      { run: zero, records },
      { run: one, records },
    ]);
    expect(all.map((r) => r.seq)).toEqual(all.map((_, i) => i + 1));
    expect(all.every((r, i) => i === 0 || r.t >= all[i - 1]!.t)).toBe(true);
    const [alone, together] = [new Structure(), new Structure()];
    alone.append(records);
    together.append(all);
    expect(together.nodes.size).toBe(2 * alone.nodes.size);
    expect(together.leaves.size).toBe(2 * alone.leaves.size);
    const lanes = [...together.nodes.keys()].map((id) => together.scopeOf(id)[0]);
    expect(new Set(lanes)).toEqual(new Set(["rank 0:Rank", "rank 1:Rank"]));
    for (const [id, wires] of together.wires)
      for (const wire of wires)
        if (wire.from) expect(together.scopeOf(wire.from.node)[0]).toBe(together.scopeOf(id)[0]);
    const sources = all.filter((r) => r.type === "source");
    expect(sources).toHaveLength(records.filter((r) => r.type === "source").length);
    const history = new History();
    history.append(all);
    expect(history.at(history.length).backward?.finished).toBe(true);
  });

  it("stand in the order of rank, whoever began, with what they did together under and between them", () => {
    const gave = (rank: number): AnyRecord => ({
      ...{ seq: 900, t: 9, step: 2, type: "collective_ran", kind: "all_reduce", rank, reduction: "mean" },
      ...{ grads: true, tensors: parameters, sizes: parameters.map(() => 4) },
    });
    const records = trace("learning").filter((r) => (r.step ?? 0) === 2);
    const parameters = records.flatMap((r) => (r.type === "tensor" && r.requires_grad ? [r.id] : []));
    const late = { ...zero, started: "2026-01-01T00:10:00.000Z" };
    const graph = new Structure();
    graph.append(
      merged([
        { run: one, records: [...records, gave(1)] },
        { run: late, records: [...records, gave(0)] },
      ]),
    );
    for (const folds of [new Map<string, boolean>(), new Map([["m/rank 1", true]])]) {
      const visible = visibleGraph(graph, folds);
      const { boxes, edges } = compose(slim(visible), solveLinear);
      const [left, right, bar] = ["m/rank 0", "m/rank 1", "c1"].map((key) => boxes.get(key)!);
      expect(left!.x + left!.w).toBeLessThan(right!.x);
      expect(bar!.y).toBeGreaterThan(Math.max(left!.y + left!.h, right!.y + right!.h));
      const cables = edges.filter((edge) => edge.to === "c1");
      expect(cables).toHaveLength(parameters.length + (folds.size ? 1 : parameters.length));
      for (const { forward } of cables) {
        const [x, y] = [forward.at(-2)!, forward.at(-1)!];
        expect([x > bar!.x, x < bar!.x + bar!.w, y]).toEqual([true, true, bar!.y]);
      }
    }
    expect(lineOf(graph.collectives.ofKey("c1")!, graph)).toMatch(/^all-reduce of .*\.grad.*: mean over 2 ranks$/);
    expect(graph.collectives.list[0]!.members.map((m) => m.rank)).toEqual([0, 1]);
  });
});
