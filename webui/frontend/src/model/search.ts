/**
 * Finds ops and leaves by name, op, shape or a condition: `tanh`, `w1`, `4x8`, `grad_norm>1`, `nan`, `op:add`.
 * Words are joined by "and".
 */
import type { NodeRecord, TensorFacts, Value } from "../protocol";
import { pathAround } from "./module";
import { gradientAt, type State } from "./state";
import type { Structure } from "./structure";
import { norm } from "./values";
import { t } from "../language/text";

/** The properties of an op or a leaf that a query can test. */
interface Subject {
  text: string;
  op: string;
  name: string;
  shape: string;
  dtype: string;
  module: string;
  value: Value | null;
  grad: Value | null;
  bytes: number;
  version: number;
}

type Test = (subject: Subject) => boolean;

export interface Found {
  key: string;
  label: string;
  detail: string;
}

const NUMBERS: Record<string, (s: Subject) => number | null | undefined> = {
  grad_norm: (s) => norm(s.grad),
  grad_max: (s) => s.grad?.max,
  grad_min: (s) => s.grad?.min,
  norm: (s) => norm(s.value),
  max: (s) => s.value?.max,
  min: (s) => s.value?.min,
  mean: (s) => s.value?.mean,
  std: (s) => s.value?.std,
  bytes: (s) => s.bytes,
  version: (s) => s.version,
};

export const FIELDS = Object.keys(NUMBERS);

/** The conditions of a query, or what is wrong with it. */
export function parse(query: string): Test[] | { problem: string } {
  const tests: Test[] = [];
  for (const word of query.trim().toLowerCase().split(/\s+/).filter(Boolean)) {
    const test = parseWord(word);
    if (typeof test !== "function") return test;
    tests.push(test);
  }
  return tests;
}

function parseWord(word: string): Test | { problem: string } {
  const comparison = /^([a-z_]+)(>=|<=|>|<|=)(.+)$/.exec(word);
  if (comparison) return compare(comparison[1]!, comparison[2]!, Number(comparison[3]));
  if (word === "nan") return (s) => (s.value?.nan ?? 0) + (s.grad?.nan ?? 0) > 0;
  if (word === "inf") return (s) => (s.value?.inf ?? 0) + (s.grad?.inf ?? 0) > 0;
  const field = /^(op|name|shape|dtype|module):(.+)$/.exec(word);
  if (field) {
    const key = field[1] as "op" | "name" | "shape" | "dtype" | "module";
    return (s) => s[key].toLowerCase().includes(normal(field[2]!));
  }
  return (s) => s.text.includes(normal(word));
}

/** 4x8, 4×8 and 4*8 are the same shape. */
const normal = (word: string): string => word.replace(/(\d)[x*](?=\d)/g, "$1×");

function compare(field: string, sign: string, bound: number): Test | { problem: string } {
  const read = NUMBERS[field];
  if (!read)
    return {
      problem: t("There is no number called {field}. Known are {fields}.", { field, fields: FIELDS.join(", ") }),
    };
  if (Number.isNaN(bound)) return { problem: t("After {condition} a number is missing.", { condition: field + sign }) };
  const holds: Record<string, (x: number) => boolean> = {
    ">": (x) => x > bound,
    "<": (x) => x < bound,
    ">=": (x) => x >= bound,
    "<=": (x) => x <= bound,
    "=": (x) => x === bound,
  };
  return (s) => {
    const x = read(s);
    return x != null && holds[sign]!(x);
  };
}

export function search(query: string, graph: Structure, state: State): Found[] | { problem: string } {
  const tests = parse(query);
  if (!Array.isArray(tests)) return tests;
  if (tests.length === 0) return [];
  const out: Found[] = [];
  const take = (key: string, label: string, subject: Subject, place: () => string): void => {
    if (tests.every((t) => t(subject)))
      out.push({ key, label, detail: [place(), subject.name, shapeSaid(subject.shape)].filter(Boolean).join(" · ") });
  };
  for (const id of graph.leaves.keys())
    take(graph.leafKey(id), graph.describe(id), leafSubject(id, graph, state), () => "");
  for (const id of graph.nodes.keys())
    take(graph.opKey(id), graph.label(id), opSubject(id, graph, state), () => pathAround(id, graph));
  return out;
}

type Fixed = Pick<Subject, "text" | "op" | "name" | "shape" | "dtype" | "module" | "bytes">;

const fixed = new WeakMap<NodeRecord, Fixed>();

/** The word for scalars in a query, in any language. */
const SCALAR = "scalar";
const shape = (dims: readonly number[]): string => (dims.length === 0 ? SCALAR : dims.join("×"));
const shapeSaid = (text: string): string => (text === SCALAR ? t("scalar") : text);

/** The constant texts of an op, computed once. */
function fixedOf(node: NodeRecord): Fixed {
  const known = fixed.get(node);
  if (known) return known;
  const out = node.outputs[0];
  const module = (node.scope ?? []).join("/");
  const base = {
    op: node.op,
    name: out?.name ?? "",
    shape: out ? shape(out.shape) : "",
    dtype: out?.dtype ?? "",
    module,
  };
  const text = textOf([node.op, node.symbol ?? "", base.name, base.shape, module, node.at?.code ?? ""]);
  const made = { ...base, text, bytes: out?.bytes ?? 0 };
  fixed.set(node, made);
  return made;
}

/** Values are computed only for conditions that need them. */
function opSubject(id: number, graph: Structure, state: State): Subject {
  const node = graph.nodes.get(id)!;
  const out = node.outputs[0];
  const tensor = out && state.tensors.get(out.id);
  const known = fixedOf(node);
  return {
    ...known,
    value: tensor?.value ?? null,
    get grad() {
      return gradientAt(state, id);
    },
    version: tensor?.version ?? 0,
  };
}

function leafSubject(id: number, graph: Structure, state: State): Subject {
  const tensor = graph.tensors.get(id);
  const known = state.tensors.get(id);
  return {
    ...(tensor ? fixedLeaf(tensor) : NOTHING),
    value: known?.value ?? null,
    grad: known?.grad ?? null,
    version: known?.version ?? 0,
  };
}

const NOTHING: Fixed = { text: "", op: "", name: "", shape: "", dtype: "", module: "", bytes: 0 };
const fixedLeaves = new WeakMap<TensorFacts, Fixed>();

function fixedLeaf(tensor: TensorFacts): Fixed {
  const known = fixedLeaves.get(tensor);
  if (known) return known;
  const base = { op: "", name: tensor.name ?? "", shape: shape(tensor.shape), dtype: tensor.dtype, module: "" };
  const text = textOf([base.name, base.shape, tensor.parameter ? "parameter" : "leaf"]);
  const made = { ...base, text, bytes: tensor.bytes ?? 0 };
  fixedLeaves.set(tensor, made);
  return made;
}

const textOf = (parts: string[]): string => parts.join(" ").toLowerCase();
