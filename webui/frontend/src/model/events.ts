/** An event's name, its colour, and the items it is about. */
import type { AnyRecord, CollectiveRan, HookRan } from "../protocol";
import { lineOf, nameOf } from "./collectives";
import { bytes, count, number, shape } from "./format";
import type { Structure } from "./structure";
import { norm, scalar } from "./values";

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

/** The node an event is about. */
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
  node: "Op ran",
  saved: "Saved for backward",
  released: "Released",
  mutated: "Changed in place",
  backward_started: "Backward started",
  node_ready: "Ready",
  node_entered: "Backward of a node",
  grad_computed: "Gradient computed",
  grad_reduced: "Gradient summed down",
  grad_accumulated: "Gradient arrived",
  hook_ran: "Hook ran",
  backward_finished: "Backward finished",
  anomaly_found: "Anomaly",
  step_taken: "Step taken",
  collective_ran: "Ranks exchanged data",
};

/** An event's name in a word or two. */
export function titleOf(record: AnyRecord): string {
  if (record.type === "backward_finished" && record.error) return "Backward failed";
  return TITLES[record.type] ?? record.type;
}

/** A hook's effect on its value, in words that suit its kind; empty where it left all as it was. */
export function hookDid(hook: HookRan): string {
  if (!hook.changed) return "";
  if (hook.kind === "pack") return "put something else away";
  return hook.kind === "unpack" ? "gave back what was needed" : "replaced the gradient";
}

/** One sentence about an event, for the status line, the text tree and the live region. */
export function sentence(record: AnyRecord, graph: Structure): string {
  const op = (id: number | null | undefined): string => graph.label(id);
  switch (record.type) {
    case "node": {
      const out = record.outputs[0];
      return `${op(record.id)} gives ${out?.name ? `${out.name}, ` : ""}${out ? shape(out.shape) : "nothing"}`;
    }
    case "saved": {
      const size = record.saved.reduce((sum, s) => sum + s.bytes, 0);
      return `${op(record.node)} keeps ${record.saved.map((s) => s.name).join(", ")} (${bytes(size)})`;
    }
    case "released":
      return `${op(record.node)} lets go of what it had saved`;
    case "mutated":
      if (record.grad) return `${graph.describe(record.tensor)}.grad is changed in place`;
      return `${graph.describe(record.tensor)} is changed in place and is now v${record.version}`;
    case "backward_started":
      return `Backward starts at ${record.roots.map((r) => op(r.node)).join(", ")}`;
    case "node_entered":
      return `${op(record.node)} starts its backward`;
    case "grad_computed":
      return `${op(record.node)} sends ${amount(record.value)} to ${record.to_leaf != null ? graph.describe(record.to_leaf) : op(record.to_node)}`;
    case "grad_reduced":
      return `${op(record.node)} sums its gradient from ${shape(record.before)} to ${shape(record.after)}`;
    case "grad_accumulated": {
      const where = record.leaf != null ? `${graph.describe(record.leaf)}.grad` : op(record.node);
      if (record.replaces) return `A hook replaced ${where}: now ${amount(record.total)}`;
      return `Contribution ${record.count ?? 1} arrives at ${where}: now ${amount(record.total)}`;
    }
    case "hook_ran":
      return `Hook ${record.name} (${record.kind}) ran${record.changed ? ` and ${hookDid(record)}` : ""}`;
    case "backward_finished":
      return record.error ? `Backward failed: ${record.error}` : `Backward finished: ${count(record.nodes, "node")}`;
    case "anomaly_found":
      return record.message;
    case "collective_ran":
      return `Rank ${record.rank ?? 0} takes part in ${collectiveOf(record, graph)}`;
    case "step_taken":
      return record.optimizer ? `${record.optimizer} takes a step` : "The step ends";
    default:
      return TITLES[record.type] ?? record.type;
  }
}

function collectiveOf(record: CollectiveRan, graph: Structure): string {
  const key = graph.collectives.keyOf(record);
  const known = key && graph.collectives.ofKey(key);
  return known ? `the ${lineOf(known, graph)}` : nameOf(record.kind);
}

function amount(value: Parameters<typeof norm>[0]): string {
  const single = scalar(value);
  if (single !== null) return number(single);
  const length = norm(value);
  return length === null ? "a gradient" : `‖${number(length)}‖`;
}
