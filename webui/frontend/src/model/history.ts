/**
 * All records of a step, and the state at any moment of it. A *stop* is a record that a person would call an event;
 * stepping goes from stop to stop, and records in between are applied with the next stop. Snapshots are kept at
 * intervals, so that going back is fast.
 */
import type { AnyRecord, RecordType } from "../protocol";
import { apply } from "./fold";
import { type Bytes, Meter } from "./memory";
import { copyState, emptyState, type State } from "./state";

const STOPS: ReadonlySet<RecordType> = new Set<RecordType>([
  "node",
  "saved",
  "released",
  "mutated",
  "backward_started",
  "node_entered",
  "grad_computed",
  "grad_reduced",
  "grad_accumulated",
  "hook_ran",
  "backward_finished",
  "anomaly_found",
  "step_taken",
  "collective_ran",
]);

/** At most one snapshot for this many records; large snapshots are rarer. */
const CHECKPOINT_EVERY = 512;
const CHECKPOINT_SHARE = 0.25;

export class History {
  readonly records: AnyRecord[] = [];
  /** Index in `records` of each stop. */
  readonly stops: number[] = [];
  /** Bytes held for backward after each stop. */
  readonly savedBytes: number[] = [];
  /** Bytes of all kinds at each stop. */
  readonly memory: Bytes[] = [];
  readonly meter = new Meter();

  private readonly checkpoints: State[] = [emptyState()];
  /** The state after the last record, to which new records are applied. */
  private tip = emptyState();

  append(records: readonly AnyRecord[]): void {
    const step = records.at(-1)?.step;
    for (const record of records) {
      this.records.push(record);
      apply(this.tip, record);
      if (record.step === step) this.meter.take(record); // the run's sources come along, from another step
      if (isStop(record)) {
        this.memory.push(this.meter.atEvent());
        this.stops.push(this.records.length - 1);
        this.savedBytes.push(this.tip.savedBytes);
      }
      this.keep();
    }
  }

  private keep(): void {
    const { index, nodes, tensors } = this.tip;
    const since = index - this.checkpoints.at(-1)!.index;
    if (since < Math.max(CHECKPOINT_EVERY, (nodes.size + tensors.size) * CHECKPOINT_SHARE)) return;
    this.checkpoints.push(copyState(this.tip));
  }

  /** The number of events. Positions go from 0, before the first, to this number. */
  get length(): number {
    return this.stops.length;
  }

  /** The record of event number `position`, from 1. */
  event(position: number): AnyRecord | null {
    const index = this.stops[position - 1];
    return index === undefined ? null : (this.records[index] ?? null);
  }

  /** The state after event `position`; at the end, with all records after the last event. */
  at(position: number): State {
    const target = this.recordsBefore(position);
    if (target === this.tip.index) return copyState(this.tip);
    const checkpoint = this.checkpoints.findLast((c) => c.index <= target) ?? this.checkpoints[0]!;
    const state = copyState(checkpoint);
    for (let i = state.index; i < target; i++) apply(state, this.records[i]!);
    return state;
  }

  /** The position of the last event at or before record number `seq`. */
  positionOf(seq: number): number {
    let low = 0;
    let high = this.stops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.records[this.stops[middle]!]!.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many records to apply at a position: leaves at the beginning of a step are shown before its first event. */
  private recordsBefore(position: number): number {
    if (position >= this.stops.length) return this.records.length;
    if (position <= 0) return this.stops[0] ?? this.records.length;
    return this.stops[position - 1]! + 1;
  }
}

export function isStop(record: AnyRecord): boolean {
  if (!STOPS.has(record.type)) return false;
  return !(record.type === "node" && record.made_by != null && record.recorded === false);
}
