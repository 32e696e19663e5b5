/** The next stop on the timeline. */
import { nodeOf } from "./events";
import type { History } from "./history";
import type { Structure } from "./structure";
import { broken } from "./values";
import type { Value } from "../protocol";

/** Events a second. */
export const SPEEDS = [2, 6, 20, 100, 500] as const;

/** The next event outside the module of the current one, in either direction: "step over". */
export function overModule(history: History, graph: Structure, position: number, direction: 1 | -1): number {
  const here = scopeAt(history, graph, position);
  const end = direction === 1 ? history.length : 0;
  for (let p = position + direction; direction === 1 ? p < end : p > end; p += direction) {
    const scope = scopeAt(history, graph, p);
    if (scope !== null && (here === null || here === "" ? scope !== here : !within(scope, here))) return p;
  }
  return end;
}

const within = (scope: string, outer: string): boolean => scope === outer || scope.startsWith(`${outer}/`);

function scopeAt(history: History, graph: Structure, position: number): string | null {
  const record = history.event(position);
  const node = record && nodeOf(record);
  return node == null ? null : graph.scopeOf(node).join("/");
}

/** The position where something first goes wrong: an anomaly or a NaN; else an op with an infinity. */
export function firstTrouble(history: History): number | null {
  const made = (position: number, bad: (value: Value | null | undefined) => boolean): boolean => {
    const record = history.event(position);
    if (record?.type === "anomaly_found") return true;
    return record?.type === "node" && record.outputs.some((output) => bad(output.value));
  };
  const nan = nextWhere(history, 0, (p) => made(p, (value) => (value?.nan ?? 0) > 0));
  return nan ?? nextWhere(history, 0, (p) => made(p, broken));
}

/** The first event that a predicate holds for, going on from a position; null if there is none. */
export function nextWhere(history: History, position: number, holds: (index: number) => boolean): number | null {
  for (let p = position + 1; p <= history.length; p++) if (holds(p)) return p;
  return null;
}
