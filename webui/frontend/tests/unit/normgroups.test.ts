/** Gradient norms by module. */
import { describe, expect, it } from "vitest";
import { drawnIn, rowsOf } from "../../src/model/normgroups";
import type { Line, Norm } from "../../src/model/norms";

const line = (tensor: number, label: string, norms: Norm[], remark: Line["remark"] = null): Line => ({
  ...{ tensor, label, norms, remark },
  now: norms.at(-1) ?? null,
});

/** A net of twelve blocks of four parameters each. */
const BLOCKS = Array.from({ length: 12 }, (_, i) => [
  line(4 * i + 1, `gpt.h.${i}.attn.weight`, [3, 3]),
  line(4 * i + 2, `gpt.h.${i}.attn.bias`, [4, i === 5 ? "nan" : 4], i === 5 ? "nan" : null),
  line(4 * i + 3, `gpt.h.${i}.mlp.weight`, [0, 0]),
  line(4 * i + 4, `gpt.h.${i}.mlp.bias`, ["none", "none"], "none"),
]).flat();

describe("norms by module", () => {
  it("begin as far open as they can be taken in, and name modules by their paths", () => {
    const rows = rowsOf(BLOCKS, new Map());
    expect(rows.map((row) => row.group)).toEqual(Array.from({ length: 12 }, (_, i) => `gpt.h.${i}`));
    expect(rows[0]).toMatchObject({ open: false, count: 4, depth: 0 });
  });

  it("are the norm of all gradients inside, and as bad as the worst of them", () => {
    const [first, , , , , sixth] = rowsOf(BLOCKS, new Map()).map((row) => row.line);
    expect(first!.norms).toEqual([5, 5]);
    expect(first!.remark).toBe("none");
    expect([sixth!.norms, sixth!.now, sixth!.remark]).toEqual([[5, "nan"], "nan", "nan"]);
  });

  it("open to the modules inside, and these to parameters; what is open is drawn by its parts", () => {
    const chosen = new Map([
      ["gpt.h.0", true],
      ["gpt.h.0.attn", true],
    ]);
    const rows = rowsOf(BLOCKS, chosen);
    const labels = rows.slice(0, 5).map(({ line, depth }) => `${depth} ${line.label}`);
    expect(labels).toEqual([
      "0 gpt.h.0",
      "1 gpt.h.0.attn",
      "2 gpt.h.0.attn.weight",
      "2 gpt.h.0.attn.bias",
      "1 gpt.h.0.mlp",
    ]);
    expect(drawnIn(rows)).toHaveLength(11 + 3);
    const tensors = rows.map((row) => row.line.tensor);
    expect(new Set(tensors).size, "each row has a number of its own").toBe(tensors.length);
  });

  it("of a small net are its parameters", () => {
    const rows = rowsOf([line(1, "net.0.weight", [1]), line(2, "net.0.bias", [1]), line(3, "w", [2])], new Map());
    expect(rows.map((row) => row.line.label)).toEqual(["w", "net.0", "net.0.weight", "net.0.bias"]);
  });
});
