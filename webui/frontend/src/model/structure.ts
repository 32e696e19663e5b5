/**
 * What there is in a step, whatever the moment: ops, leaves, edges, modules.
 *
 * It only grows. Where the picture stands in time is the business of `fold.ts`; the layout looks at this alone, which is
 * why nothing moves when backward starts.
 */
import type { Input, NodeRecord, Place, TensorRecord } from "../protocol";
import type { AnyRecord } from "../protocol";
import { moduleName } from "./format";

/** One use of a tensor: by which node, as which of its inputs. */
export interface Use {
  node: number;
  index: number;
}

/** Where a tensor comes from. */
export interface Origin {
  node: number;
  output: number;
}

/** An input of a node, with its other end found. */
export interface Wire {
  input: Input;
  index: number;
  from: Origin | null;
  leaf: number | null;
}

export class Structure {
  readonly nodes = new Map<number, NodeRecord>();
  readonly tensors = new Map<number, TensorRecord>();
  readonly wires = new Map<number, Wire[]>();
  /** Tensors that no op of this step made and some op uses: they are drawn as pills. */
  readonly leaves = new Map<number, Use[]>();
  readonly uses = new Map<string, Use[]>();
  readonly sources = new Map<string, string>();
  readonly order = new Map<number, number>();
  /** Grows whenever the layout has to look again. */
  version = 0;
  /** What a gradient rule ran without recording it; counted, not drawn. */
  hidden = 0;

  private readonly origins = new Map<number, Origin>();

  append(records: readonly AnyRecord[]): void {
    for (const record of records) {
      if (record.type === "node") this.addNode(record);
      else if (record.type === "tensor") this.addTensor(record);
      else if (record.type === "source") this.sources.set(record.file, record.text);
    }
  }

  /** Who uses output number `output` of `node`. */
  usesOf(node: number, output = 0): readonly Use[] {
    return this.uses.get(`${node}.${output}`) ?? [];
  }

  /** The tensor that comes out of a node. */
  output(node: number, output = 0): TensorRecord | undefined {
    return this.nodes.get(node)?.outputs[output];
  }

  /** The node and output that made a tensor last. */
  originOf(tensor: number): Origin | null {
    return this.origins.get(tensor) ?? null;
  }

  nameOf = (tensor: number): string | null => this.tensors.get(tensor)?.name ?? null;

  /** The tensor as a person would call it: its name, else the op that made it. */
  describe(tensor: number | null | undefined): string {
    if (tensor == null) return "constant";
    const name = this.nameOf(tensor);
    if (name) return name;
    const origin = this.originOf(tensor);
    const op = origin && this.nodes.get(origin.node);
    return op ? `${op.op} #${op.id}` : `t${tensor}`;
  }

  /** Every node that stands at a line of a file. */
  nodesAt(file: string, line: number): number[] {
    return [...this.nodes.values()].filter((n) => n.at?.file === file && n.at.line === line).map((n) => n.id);
  }

  placeOf(node: number): Place | null {
    return this.nodes.get(node)?.at ?? null;
  }

  private addTensor(record: TensorRecord): void {
    if (!this.tensors.has(record.id)) this.tensors.set(record.id, record);
  }

  private addNode(record: NodeRecord): void {
    if (this.nodes.has(record.id)) return;
    if (record.made_by != null && record.recorded === false) {
      this.hidden += 1;
      return;
    }
    this.nodes.set(record.id, record);
    this.order.set(record.id, this.order.size + 1);
    const wires = record.inputs.map((input, index) => this.wire(input, index));
    this.wires.set(record.id, wires);
    for (const wire of wires) this.noteUse(record.id, wire);
    record.outputs.forEach((tensor, output) => {
      if (!this.tensors.has(tensor.id)) this.tensors.set(tensor.id, tensor);
      this.origins.set(tensor.id, { node: record.id, output });
    });
    this.version += 1;
  }

  /** An in-place op gives a tensor a new origin, so the other end is looked up now, not later. */
  private wire(input: Input, index: number): Wire {
    const tensor = input.tensor ?? null;
    const made = input.node != null && this.nodes.has(input.node) ? input.node : null;
    const from = made !== null ? { node: made, output: input.output ?? 0 } : this.origin(tensor);
    return { input, index, from, leaf: from === null ? tensor : null };
  }

  private origin(tensor: number | null): Origin | null {
    return tensor === null ? null : (this.origins.get(tensor) ?? null);
  }

  private noteUse(node: number, wire: Wire): void {
    const use = { node, index: wire.index };
    if (wire.from) push(this.uses, `${wire.from.node}.${wire.from.output}`, use);
    else if (wire.leaf !== null) push(this.leaves, wire.leaf, use);
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** A module as one string, for maps and the address bar: `encoder/blocks.0`. */
export const modulePath = (scope: readonly string[]): string => scope.map(moduleName).join("/");

/** Node whose graph is that of a gradient: it lives in a lane of its own. */
export const layerOf = (node: NodeRecord): number => node.layer ?? 0;

/** The module of the picture that a node lies in: its scope, in the lane of its layer. */
export function scopeOf(node: NodeRecord): string[] {
  const layer = layerOf(node);
  const scope = node.scope ?? [];
  return layer === 0 ? scope : [`∇${layer}:graph of the gradient`, ...scope];
}
