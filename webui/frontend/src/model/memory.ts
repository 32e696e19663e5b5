/**
 * Memory in use at each event, by kind. The program's counter, which the profiler also uses, writes it into the
 * records; this module adds which tensors hold it.
 */
import type { AnyRecord, Memory, TensorFacts } from "../protocol";
import type { State } from "./state";
import { english } from "../language/text";

/** From bottom to top: what stays is below what comes and goes. */
export const KINDS = [
  "parameters",
  "optimizer",
  "gradients",
  "inputs",
  "saved",
  "activations",
  "temporary",
] as const satisfies readonly (keyof Memory)[];
export type MemoryKind = (typeof KINDS)[number];

/** Each kind's label and its explanation. */
export const WORDS: Record<MemoryKind, { name: string; means: string }> = {
  parameters: { name: english("parameters"), means: english("Leaves that require a gradient") },
  optimizer: {
    name: english("optimiser"),
    means: english("The optimiser's state for each parameter, such as Adam's averages"),
  },
  gradients: { name: english("gradients"), means: english("Stored in a .grad") },
  inputs: { name: english("inputs"), means: english("Data and other leaves that require no gradient") },
  saved: { name: english("saved activations"), means: english("Results of ops that a node saves for its backward") },
  activations: {
    name: english("other activations"),
    means: english("Results of ops that no node saves: a variable holds them, or the line that runs"),
  },
  temporary: {
    name: english("temporary"),
    means: english(
      "Gradients that backward has not put into a .grad, and memory that came and went since the event before",
    ),
  },
};

const TEMPORARY = KINDS.indexOf("temporary");

/** Bytes of each kind, in the order of KINDS. */
export type Bytes = readonly number[];

export const NOTHING: Bytes = KINDS.map(() => 0);
export const bytesOf = (memory: Memory): Bytes => KINDS.map((kind) => memory[kind] ?? 0);
export const total = (bytes: Bytes): number => bytes.reduce((a, b) => a + b, 0);

/** Follows the memory in the records; the sum is the most since the record before. */
export class Meter {
  /** The most that was held at any record. */
  peak = 0;
  /** For each kind, the least at any event (always present) and the most. */
  least: Bytes | null = null;
  greatest = NOTHING;
  /** The step like this one in which it was measured; null if it was measured in this one. */
  of: number | null = null;
  private now = NOTHING;
  private most = 0;

  take(record: AnyRecord): void {
    const { memory } = record;
    if (!memory) return;
    this.of = record.memory_of ?? null;
    this.now = bytesOf(memory);
    this.most = Math.max(this.most, total(this.now));
    this.peak = Math.max(this.peak, this.most);
  }

  /** The memory at the latest event. What was allocated and freed since the one before counts as temporary. */
  atEvent(): Bytes {
    if (this.now === NOTHING) return NOTHING; // a recording that tells of no memory, or not yet
    const passed = Math.max(0, this.most - total(this.now));
    const held = passed ? this.now.map((bytes, kind) => (kind === TEMPORARY ? bytes + passed : bytes)) : this.now;
    this.most = 0;
    this.least = (this.least ?? held).map((bytes, kind) => Math.min(bytes, held[kind]!));
    this.greatest = this.greatest.map((bytes, kind) => Math.max(bytes, held[kind]!));
    return held;
  }
}

/** Memory saved for backward: its size, who saves it, and whether only a part of it is used. */
export interface Owned {
  size: number;
  keepers: number[];
  part: boolean;
}

/** The activations saved at a moment, largest first. Parameters and inputs exist anyway. */
export function owned(state: State, tensors: ReadonlyMap<number, TensorFacts>): Owned[] {
  const found = new Map<number, Owned>();
  for (const [id, node] of state.nodes) {
    if (node.releasedAt !== null) continue;
    for (const { tensor, bytes } of node.saved) {
      const { key, size } = memoryOf(tensors, tensor, bytes);
      if (tensors.get(key)?.leaf === true) continue;
      const one = found.get(key) ?? { size, keepers: [], part: false };
      if (!one.keepers.includes(id)) one.keepers.push(id);
      found.set(key, { ...one, part: one.part || bytes < size });
    }
  }
  return [...found.values()].sort((a, b) => b.size - a.size);
}

/** The tensor that owns the memory: for a view, its base. */
function memoryOf(
  tensors: ReadonlyMap<number, TensorFacts>,
  tensor: number,
  bytes: number,
): { key: number; size: number } {
  let [key, size] = [tensor, bytes];
  for (let base = tensors.get(key)?.base; base != null; base = tensors.get(key)?.base) {
    key = base;
    size = tensors.get(key)?.bytes ?? size;
  }
  return { key, size };
}
