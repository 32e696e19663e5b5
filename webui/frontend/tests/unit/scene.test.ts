/** A step that begins has the places of the step before; what is not there yet keeps its name. */
import { expect, it } from "vitest";
import { mlpRun } from "../../fixtures/runs";
import { compose } from "../../src/layout/compose";
import { solveLinear } from "../../src/layout/linear";
import { History } from "../../src/model/history";
import { Structure } from "../../src/model/structure";
import { visibleGraph } from "../../src/model/visible";
import { Scene, type Thing } from "../../src/render/scene";

it("names the places that a step has not reached after what was there in the step before", () => {
  const records = mlpRun("m", 1);
  const [whole, begun, history] = [new Structure(), new Structure(), new History()];
  whole.append(records);
  history.append(records);
  const second = [...whole.nodes.values()][1]!;
  begun.append(records.filter(({ seq }) => seq < second.seq));
  const [full, part] = [visibleGraph(whole, new Map()), visibleGraph(begun, new Map())];
  const before = new Scene(full, compose(full, solveLinear));
  const names = before.namesKept(part, whole, history.at(history.length));
  expect(names.get(whole.opKey(second.id))).toBe(second.op);
  expect([...names.keys()].filter((key) => part.items.has(key))).toEqual([]);

  const after = new Scene(part, before.placement, names);
  const drawn: string[] = [];
  after.each(before.placement.bounds, (thing: Thing) => {
    if (thing.layer === 3) drawn.push(thing.name);
  });
  expect(drawn).toContain(second.op);
  expect([...after.namesKept(full, begun, history.at(0))]).toEqual([]);
});
