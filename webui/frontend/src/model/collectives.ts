/** The exchanges of ranks: each rank has one record of it, and together they are one item of the picture. */
import type { CollectiveRan } from "../protocol";
import { bytes } from "./format";
import type { Structure } from "./structure";
import { counted, t } from "../language/text";

export interface Collective {
  /** Key in the picture and in the address bar: `c1`. */
  key: string;
  kind: string;
  /** Each rank's record of it, in the order of rank. */
  members: CollectiveRan[];
}

/** The n-th collective of each rank is the same exchange. */
export class Collectives {
  readonly list: Collective[] = [];
  private readonly counts = new Map<number, number>();

  take(record: CollectiveRan): void {
    const rank = record.rank ?? 0;
    const index = this.counts.get(rank) ?? 0;
    this.counts.set(rank, index + 1);
    const known = this.list[index];
    if (!known) this.list.push({ key: `c${index + 1}`, kind: record.kind, members: [record] });
    else known.members = [...known.members, record].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  }

  ofKey(key: string): Collective | null {
    return key.startsWith("c") ? (this.list[Number(key.slice(1)) - 1] ?? null) : null;
  }

  keyOf(record: CollectiveRan): string | null {
    return this.list.find((one) => one.members.some((m) => m.seq === record.seq))?.key ?? null;
  }
}

/** The name in text: `all_reduce` becomes `all-reduce`. */
export const nameOf = (kind: string): string => kind.replaceAll("_", "-");

/** The names of the tensors that a rank gave: `w.grad`, `bias.grad`. */
export const given = (record: CollectiveRan, graph: Structure): string[] =>
  (record.tensors ?? []).map((id) => `${graph.describe(id)}${record.grads ? ".grad" : ""}`);

export const bytesOf = (record: CollectiveRan): number => (record.sizes ?? []).reduce((a, b) => a + b, 0);

/** The reduction in words, such as "mean over 2 ranks". */
export function reductionOf({ members }: Collective): string {
  const over = counted(members.length, "over {n} rank", "over {n} ranks");
  const { reduction } = members[0]!;
  return reduction ? `${reduction} ${over}` : over;
}

/** A collective in one line. */
export function lineOf(collective: Collective, graph: Structure): string {
  const first = collective.members[0]!;
  return t("{kind} of {tensors}, {size}: {reduction}", {
    kind: nameOf(collective.kind),
    tensors: given(first, graph).join(", "),
    size: bytes(bytesOf(first)),
    reduction: reductionOf(collective),
  });
}
