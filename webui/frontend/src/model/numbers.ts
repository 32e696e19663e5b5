/** Draws a step of which only the numbers were kept, with the ops of the step that it is like. */
import type { AnyRecord, Numbers, RecordType, TensorFacts, Value } from "../protocol";

/** The kinds of records taken from the other step: its graph, without its events. */
const DRAWN: ReadonlySet<RecordType> = new Set<RecordType>([
  "node",
  "tensor",
  "scope_entered",
  "scope_left",
  "detached",
]);

/** The record with the numbers of a step whose ops were not kept; null if there is none, or the ops were kept. */
export function numbersOf(records: readonly AnyRecord[]): Numbers | null {
  if (records.some((record) => record.type === "node")) return null;
  return records.find((record) => record.type === "numbers") ?? null;
}

/** Whether there is something to draw: ops, or numbers for the ops of another step. */
export const drawable = (records: readonly AnyRecord[]): boolean =>
  records.some((record) => record.type === "node" || (record.type === "numbers" && record.like != null));

/** The records of the step `like`, with these numbers as values, followed by the step's `own`. */
export function withNumbers(like: readonly AnyRecord[], numbers: Numbers, own: readonly AnyRecord[]): AnyRecord[] {
  const entry = new Map((numbers.nodes ?? []).map((node, i) => [node, i]));
  const drawn = like.filter((record) => DRAWN.has(record.type)).map((record) => placed(record, numbers, entry));
  return [...drawn, ...own];
}

function placed(record: AnyRecord, numbers: Numbers, entry: ReadonlyMap<number, number>): AnyRecord {
  const { step } = numbers;
  if (record.type === "tensor") return { ...record, step, ...NOTHING };
  if (record.type !== "node") return { ...record, step };
  const i = entry.get(record.id);
  const outputs = record.outputs.map((output, k): TensorFacts => ({
    ...output,
    ...NOTHING,
    value: k === 0 && i !== undefined ? valueAt(numbers, i) : null,
  }));
  return { ...record, step, outputs };
}

const NOTHING = { value: null, grad: null };

function valueAt({ norm, min, max, broken }: Numbers, i: number): Value | null {
  const [, nan = 0, inf = 0] = broken?.find(([at]) => at === i) ?? [];
  if (norm[i] == null && nan + inf === 0) return null;
  return { kind: "stats", norm: norm[i], min: min[i], max: max[i], nan, inf };
}
