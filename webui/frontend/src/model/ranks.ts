/**
 * Processes that were started together, in one picture: each is a lane, and all records are in the order of time. A
 * lane is a module around all that its process did, so it can be used like any module.
 */
import type { AnyRecord, Memory, NodeRecord, Run } from "../protocol";
import { bytesOf, KINDS, total } from "./memory";
import { t } from "../language/text";

export interface Lane {
  run: Run;
  records: readonly AnyRecord[];
}

/**
 * The runs that were started together with this one, including it, by rank; empty if it was started alone. A launcher
 * may use one name for all launches: then, for each rank, the run that began nearest in time.
 */
export function companions(run: Run, runs: readonly Run[]): Run[] {
  if (run.launch == null || run.rank == null) return [];
  const mine = runs.filter((r) => r.launch === run.launch && r.rank != null && r.world_size === run.world_size);
  const begun = Date.parse(run.started);
  const apart = (r: Run): number => Math.abs(Date.parse(r.started) - begun);
  const found = new Map(mine.sort((a, b) => apart(b) - apart(a)).map((r) => [r.rank!, r]));
  found.set(run.rank, run);
  return [...found.values()].sort((a, b) => a.rank! - b.rank!);
}

/** The rank after a run's name, if the name alone does not tell it from the other ranks. */
export const rankBeside = ({ name, rank }: Run): string =>
  rank == null || new RegExp(`rank ${rank}\\b`).test(name) ? "" : t("rank {n}", { n: rank });

/** `rank 0`, as a module whose type no other module has. */
export const laneOf = (rank: number): string => `rank ${rank}${RANK}`;
const RANK = ":Rank";
export const isRankSegment = (segment: string): boolean => segment.endsWith(RANK);

/** `rank 0` where a scope lies in a lane; else nothing. */
export const laneIn = (scope: readonly string[]): string => scope.find(isRankSegment)?.slice(0, -RANK.length) ?? "";

/** A lane's name as shown. */
export const rankSaid = (lane: string): string => (lane === "" ? "" : t("rank {n}", { n: lane.slice("rank ".length) }));

/** A suffix for keys of one rank; empty if the program ran alone. */
export const laneSuffix = ({ scope }: NodeRecord): string => laneIn(scope ?? []).replace("rank ", "r");

/** Merges the records of all lanes into one stream, with distinct ids, one clock and consecutive numbers. */
export function merged(lanes: readonly Lane[]): AnyRecord[] {
  const first = Math.min(...lanes.map(({ run }) => Date.parse(run.started)));
  const files = new Set<string>();
  const isNew = (record: AnyRecord): boolean => {
    if (record.type !== "source") return true;
    const known = files.has(record.file);
    files.add(record.file);
    return !known;
  };
  const all = lanes.flatMap(({ run, records }, lane) => {
    const later = (Date.parse(run.started) - first) / 1000 + clockOf(records);
    return handedOn(records, isNew).map((record) => ({
      ...told(record, lane, lanes.length, laneOf(run.rank ?? lane)),
      t: record.t + later,
      lane,
    }));
  });
  return together(all.sort((a, b) => a.t - b.t)).map((record, i) => ({ ...record, seq: i + 1 }));
}

/** The delay of a rank's clock relative to rank 0, as measured when they met. */
function clockOf(records: readonly AnyRecord[]): number {
  const told = records.findLast((record) => record.type === "collective_ran");
  return told?.clock ?? 0;
}

/** The wanted records; each takes over the memory of the unwanted ones before it. */
function handedOn(records: readonly AnyRecord[], wanted: (record: AnyRecord) => boolean): AnyRecord[] {
  let before: Memory | null = null;
  return records.flatMap((record) => {
    const memory: Memory | null = record.memory ?? before;
    if (before && record.memory) {
      const passed = Math.max(0, total(bytesOf(before)) - total(bytesOf(record.memory)));
      record = { ...record, memory: { ...record.memory, temporary: (record.memory.temporary ?? 0) + passed } };
    } else if (memory) record = { ...record, memory };
    const kept = wanted(record);
    before = kept ? null : (record.memory ?? null);
    return kept ? [record] : [];
  });
}

/** Replaces each rank's memory by that of all ranks together. */
function together(records: readonly Told[]): AnyRecord[] {
  const held = new Map<number, Memory>();
  return records.map(({ lane, ...record }) => {
    if (!record.memory) return record as AnyRecord;
    held.set(lane, record.memory);
    const memory: Memory = {};
    for (const one of held.values())
      for (const kind of KINDS) if (one[kind]) memory[kind] = (memory[kind] ?? 0) + one[kind];
    return { ...record, memory } as AnyRecord;
  });
}

type Told = AnyRecord & { lane: number };

/** Fields with ids of nodes, tensors and backward runs; other fields are the same in any lane. */
const IDS = new Set([
  "id",
  "node",
  "tensor",
  "result",
  "base",
  "made_by",
  "run",
  "to_node",
  "to_leaf",
  "from_node",
  "leaf",
]);
/** Fields that contain such fields. */
const WITHIN = new Set(["inputs", "outputs", "saved", "roots", "grad_norms"]);
/** Fields with the modules around an item. */
const MODULES = new Set(["scope", "path"]);

/** A record with ids that are unique among the lanes, and its scope inside the lane. */
function told(record: AnyRecord, lane: number, lanes: number, name: string): AnyRecord {
  const other = (id: number): number => id * lanes + lane;
  const walk = (value: object): object =>
    Object.fromEntries(
      Object.entries(value).map(([field, inner]: [string, unknown]) => {
        if (MODULES.has(field)) return [field, [name, ...(inner as string[])]];
        if (IDS.has(field) && typeof inner === "number") return [field, other(inner)];
        if (field === "tensors" && Array.isArray(inner)) return [field, (inner as number[]).map(other)];
        if (WITHIN.has(field) && Array.isArray(inner)) return [field, inner.map((one) => walk(one as object))];
        return [field, inner];
      }),
    );
  const changed = walk(record) as AnyRecord;
  return changed.type === "node" && !changed.scope ? { ...changed, scope: [name] } : changed;
}
