/**
 * What autograd holds in memory, event by event: parameters, their gradients, and what nodes keep for backward.
 *
 * Counted by memory, not by tensors: a view is its base's, and what several nodes keep is there once. The profiler's
 * `peak_held` counts alike.
 */
import type { AnyRecord, TensorRecord } from "../protocol";
import type { State } from "./state";

export const KINDS = ["parameters", "gradients", "saved"] as const;
export type MemoryKind = (typeof KINDS)[number];

/** Bytes of each kind, in the order of KINDS. */
export type Bytes = readonly [parameters: number, gradients: number, saved: number];

export const total = (bytes: Bytes): number => bytes[0] + bytes[1] + bytes[2];

export class Meter {
  /** The most that was held at any record. */
  peak = 0;
  private readonly tensors = new Map<number, TensorRecord>();
  private readonly parameters = new Map<number, number>();
  private readonly gradients = new Map<number, number>();
  /** By memory: its size, and how many nodes keep it. */
  private readonly saved = new Map<number, { size: number; keepers: number }>();
  private readonly keptBy = new Map<number, number[]>();
  private sums: [number, number, number] = [0, 0, 0];

  get now(): Bytes {
    return [...this.sums];
  }

  take(record: AnyRecord): void {
    if (record.type === "tensor") this.meet(record);
    else if (record.type === "node") for (const output of record.outputs) this.tensors.set(output.id, output);
    else if (record.type === "saved") for (const one of record.saved) this.keep(record.node, one.tensor, one.bytes);
    else if (record.type === "released") this.release(record.node);
    else if (record.type === "grad_accumulated" && record.leaf != null) this.grow(record.leaf);
    else return;
    this.peak = Math.max(this.peak, total(this.sums));
  }

  private meet(tensor: TensorRecord): void {
    this.tensors.set(tensor.id, tensor);
    if (!tensor.requires_grad || tensor.leaf === false) return;
    const memory = this.memoryOf(tensor.id, tensor.bytes ?? 0);
    if (!this.parameters.has(memory.key)) {
      this.parameters.set(memory.key, memory.size);
      this.sums[0] += memory.size;
    }
    if (tensor.grad) this.grow(tensor.id);
  }

  private grow(leaf: number): void {
    if (this.gradients.has(leaf)) return;
    const size = this.tensors.get(leaf)?.bytes ?? 0;
    this.gradients.set(leaf, size);
    this.sums[1] += size;
  }

  private keep(node: number, tensor: number, bytes: number): void {
    const { key, size } = this.memoryOf(tensor, bytes);
    if (this.parameters.has(key)) return;
    const known = this.saved.get(key);
    if (known) known.keepers += 1;
    else {
      this.saved.set(key, { size, keepers: 1 });
      this.sums[2] += size;
    }
    this.keptBy.set(node, [...(this.keptBy.get(node) ?? []), key]);
  }

  private release(node: number): void {
    for (const key of this.keptBy.get(node) ?? []) {
      const known = this.saved.get(key);
      if (!known || (known.keepers -= 1) > 0) continue;
      this.saved.delete(key);
      this.sums[2] -= known.size;
    }
    this.keptBy.delete(node);
  }

  private memoryOf(tensor: number, bytes: number): Memory {
    return memoryOf(this.tensors, tensor, bytes);
  }
}

interface Memory {
  key: number;
  size: number;
}

/** A view's memory is its base's. */
function memoryOf(tensors: ReadonlyMap<number, TensorRecord>, tensor: number, bytes: number): Memory {
  let [key, size] = [tensor, bytes];
  for (let base = tensors.get(key)?.base; base != null; base = tensors.get(key)?.base) {
    key = base;
    size = tensors.get(key)?.bytes ?? size;
  }
  return { key, size };
}

/** A memory that is kept for backward: its size, who keeps it, and whether they look at a part of it only. */
export interface Owned {
  size: number;
  keepers: number[];
  part: boolean;
}

/** What is kept at a moment, the largest first; together it is what the strip says of `saved`, to the byte. */
export function owned(state: State, tensors: ReadonlyMap<number, TensorRecord>): Owned[] {
  const found = new Map<number, Owned>();
  for (const [id, node] of state.nodes) {
    if (node.releasedAt !== null) continue;
    for (const { tensor, bytes } of node.saved) {
      const { key, size } = memoryOf(tensors, tensor, bytes);
      const base = tensors.get(key);
      if (base?.requires_grad && base.leaf !== false) continue; // a parameter, which is there anyway
      const one = found.get(key) ?? { size, keepers: [], part: false };
      if (!one.keepers.includes(id)) one.keepers.push(id);
      found.set(key, { ...one, part: one.part || bytes < size });
    }
  }
  return [...found.values()].sort((a, b) => b.size - a.size);
}
