/** An event's name, its colour, and the items it is about. */
import type { AnyRecord, CollectiveRan, HookRan } from "../protocol";
import { lineOf, nameOf } from "./collectives";
import { bytes, number, shape } from "./format";
import type { Structure } from "./structure";
import { norm, scalar } from "./values";
import { counted, english, t, told } from "../language/text";

/** The meanings that have a colour. */
export type Kind = "value" | "gradient" | "saved" | "released" | "leaf" | "error" | "neutral";

export function kindOf(record: AnyRecord): Kind {
  switch (record.type) {
    case "node":
    case "tensor":
      return "value";
    case "mutated":
      return record.grad ? "leaf" : "value";
    case "saved":
      return "saved";
    case "released":
      return "released";
    case "node_entered":
    case "grad_computed":
    case "grad_reduced":
    case "backward_started":
    case "hook_ran":
    case "collective_ran":
      return "gradient";
    case "grad_accumulated":
      return record.leaf != null ? "leaf" : "gradient";
    case "anomaly_found":
      return "error";
    case "backward_finished":
      return record.error ? "error" : "neutral";
    default:
      return "neutral";
  }
}

/** The node an event is about; that a loss or a gradient norm jumped is about the op at which backward began. */
export function nodeAbout(event: AnyRecord, records: readonly AnyRecord[]): number | null {
  const node = nodeOf(event);
  if (node !== null || event.type !== "anomaly_found" || event.tensor != null) return node;
  const backward = records.findLast(({ type, seq }) => type === "backward_started" && seq < event.seq);
  return backward ? nodeOf(backward) : null;
}

/** The node an event itself names. */
export function nodeOf(record: AnyRecord): number | null {
  switch (record.type) {
    case "node":
      return record.id;
    case "grad_accumulated":
      return record.node ?? record.from_node ?? null;
    case "saved":
    case "released":
    case "node_ready":
    case "node_entered":
    case "grad_computed":
    case "grad_reduced":
    case "hook_ran":
    case "anomaly_found":
    case "mutated":
      return record.node ?? null;
    case "backward_started":
      return record.roots[0]?.node ?? null;
    default:
      return null;
  }
}

/** The leaf an event is about. */
export function leafOf(record: AnyRecord): number | null {
  if (record.type === "grad_accumulated") return record.leaf ?? null;
  if (record.type === "mutated" || record.type === "hook_ran") return record.tensor ?? null;
  return null;
}

const TITLES: Partial<Record<AnyRecord["type"], string>> = {
  node: english("Op ran"),
  saved: english("Saved for backward"),
  released: english("Released"),
  mutated: english("Changed in place"),
  backward_started: english("Backward started"),
  node_ready: english("Ready"),
  node_entered: english("Backward of a node"),
  grad_computed: english("Gradient computed"),
  grad_reduced: english("Gradient summed down"),
  grad_accumulated: english("Gradient arrived"),
  hook_ran: english("Hook ran"),
  backward_finished: english("Backward finished"),
  anomaly_found: english("Anomaly"),
  step_taken: english("Step taken"),
  collective_ran: english("Ranks exchanged data"),
};

/** An event's name in a word or two. */
export function titleOf(record: AnyRecord): string {
  if (record.type === "backward_finished" && record.error) return t("Backward failed");
  return t(TITLES[record.type] ?? record.type);
}

/** The effect of a hook on its value, in words; empty if it changed nothing. */
export function hookDid(hook: HookRan): string {
  if (!hook.changed) return "";
  if (hook.kind === "pack") return t("packed something else");
  return hook.kind === "unpack" ? t("unpacked what was needed") : t("replaced the gradient");
}

/** One sentence about an event, for the status line, the text tree and the live region. */
export function sentence(record: AnyRecord, graph: Structure): string {
  const op = (id: number | null | undefined): string => graph.label(id);
  switch (record.type) {
    case "node": {
      const out = record.outputs[0];
      const what = out ? shape(out.shape) : t("nothing");
      return t("{op} gives {what}", { op: op(record.id), what: out?.name ? `${out.name}, ${what}` : what });
    }
    case "saved": {
      const size = record.saved.reduce((sum, s) => sum + s.bytes, 0);
      const names = record.saved.map((s) => s.name).join(", ");
      return t("{op} saves {names} ({size})", { op: op(record.node), names, size: bytes(size) });
    }
    case "released":
      return t("{op} releases its saved tensors", { op: op(record.node) });
    case "mutated":
      if (record.grad) return t("{tensor}.grad is changed in place", { tensor: graph.describe(record.tensor) });
      return t("{tensor} is changed in place and is now v{version}", {
        tensor: graph.describe(record.tensor),
        version: record.version,
      });
    case "backward_started":
      return t("Backward starts at {ops}", { ops: record.roots.map((r) => op(r.node)).join(", ") });
    case "node_entered":
      return t("{op} starts its backward", { op: op(record.node) });
    case "grad_computed":
      return t("{op} sends {amount} to {whom}", {
        op: op(record.node),
        amount: amount(record.value),
        whom: record.to_leaf != null ? graph.describe(record.to_leaf) : op(record.to_node),
      });
    case "grad_reduced":
      return t("{op} sums its gradient from {before} to {after}", {
        op: op(record.node),
        before: shape(record.before),
        after: shape(record.after),
      });
    case "grad_accumulated": {
      const where = record.leaf != null ? `${graph.describe(record.leaf)}.grad` : op(record.node);
      const now = amount(record.total);
      if (record.replaces) return t("A hook replaced {where}: now {now}", { where, now });
      return t("Contribution {count} arrives at {where}: now {now}", { count: record.count ?? 1, where, now });
    }
    case "hook_ran":
      return record.changed
        ? t("Hook {name} ({kind}) ran and {did}", { name: record.name, kind: record.kind, did: hookDid(record) })
        : t("Hook {name} ({kind}) ran", { name: record.name, kind: record.kind });
    case "backward_finished":
      return record.error
        ? t("Backward failed: {error}", { error: record.error })
        : counted(record.nodes, "Backward finished: {n} node", "Backward finished: {n} nodes");
    case "anomaly_found":
      return told(record.message);
    case "collective_ran":
      return t("Rank {rank} takes part in {exchange}", {
        rank: record.rank ?? 0,
        exchange: collectiveOf(record, graph),
      });
    case "step_taken":
      return record.optimizer ? t("{optimizer} takes a step", { optimizer: record.optimizer }) : t("The step ends");
    default:
      return t(TITLES[record.type] ?? record.type);
  }
}

function collectiveOf(record: CollectiveRan, graph: Structure): string {
  const key = graph.collectives.keyOf(record);
  const known = key && graph.collectives.ofKey(key);
  return known ? t("the {exchange}", { exchange: lineOf(known, graph) }) : nameOf(record.kind);
}

function amount(value: Parameters<typeof norm>[0]): string {
  const single = scalar(value);
  if (single !== null) return number(single);
  const length = norm(value);
  return length === null ? t("a gradient") : `‖${number(length)}‖`;
}
