import { describe, expect, it } from "vitest";
import { trace } from "../../fixtures/traces";
import { History } from "../../src/model/history";
import { total } from "../../src/model/memory";

const history = (name: string, step = 0): History => {
  const made = new History();
  made.append(trace(name).filter((r) => (r.step ?? 0) === step));
  return made;
};

describe("memory", () => {
  it("is a parameter, its gradient and what is saved", () => {
    const { memory, memoryPeak } = history("expression");
    expect(memoryPeak).toBe(12);
    expect(memory.at(-1)).toEqual([4, 4, 0]);
  });

  it("of saved tensors is let go when backward has gone by", () => {
    const { memory } = history("learning", 2);
    expect(Math.max(...memory.map((m) => m[2]))).toBeGreaterThan(0);
    expect(memory.at(-1)![2]).toBe(0);
    expect(Math.max(...memory.map(total))).toBe(history("learning", 2).memoryPeak);
  });
});
