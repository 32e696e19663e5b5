/**
 * What there is in a step, whatever the moment: ops, leaves, edges, modules.
 *
 * It only grows. Where the picture stands in time is the business of `fold.ts`; the layout looks at this alone, which is
 * why nothing moves when backward starts.
 */
import type { AnyRecord, Input, NodeRecord, Place, TensorRecord } from "../protocol";
import { Collectives } from "./collectives";

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
  readonly collectives = new Collectives();
  /** Which op of the step a node is, from 1; a leaf likewise. Steps of one program number alike, so views carry over. */
  readonly order = new Map<number, number>();
  readonly leafOrder = new Map<number, number>();
  /** Grows whenever the layout has to look again. */
  version = 0;
  /** What a gradient rule ran without recording it; counted, not drawn. */
  hidden = 0;

  /** Ids in the order of their ordinals, from 0. */
  readonly nodeIds: number[] = [];
  private readonly leafIds: number[] = [];
  private readonly opKeys = new Map<number, string>();
  private readonly origins = new Map<number, Origin>();
  private readonly scopes = new Map<number, readonly string[]>();
  private readonly calls = new Calls();
  private readonly asides = new Asides();

  append(records: readonly AnyRecord[]): void {
    for (const record of records) {
      if (record.type === "node") this.addNode(record);
      else if (record.type === "tensor") this.addTensor(record);
      else if (record.type === "source") this.sources.set(record.file, record.text);
      else if (record.type === "scope_entered") this.calls.enter(record.path);
      else if (record.type === "scope_left") this.calls.leave();
      else if (record.type === "collective_ran") {
        this.collectives.take(record);
        this.version += 1;
      }
    }
  }

  /** The modules around a node from the outermost in, each call of a module being one of its own. */
  scopeOf(node: number): readonly string[] {
    return this.scopes.get(node) ?? [];
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

  /** Key of an op in the picture and in the address bar. */
  opKey = (node: number): string => this.opKeys.get(node) ?? "n0";
  leafKey = (tensor: number): string => `t${this.leafOrder.get(tensor) ?? 0}`;

  nodeOfKey(key: string): number | null {
    return key.startsWith("n") ? (this.nodeIds[Number(key.slice(1)) - 1] ?? null) : null;
  }

  leafOfKey(key: string): number | null {
    return key.startsWith("t") ? (this.leafIds[Number(key.slice(1)) - 1] ?? null) : null;
  }

  /** `Tanh #3`: how a person speaks of a node. */
  label(node: number | null | undefined): string {
    const record = node == null ? undefined : this.nodes.get(node);
    return record ? `${record.op} #${this.order.get(record.id)}` : "a node outside this step";
  }

  nameOf = (tensor: number): string | null => this.tensors.get(tensor)?.name ?? null;

  /** The tensor as a person would call it: its name, else the op that made it. */
  describe(tensor: number | null | undefined): string {
    if (tensor == null) return "constant";
    const name = this.nameOf(tensor);
    if (name) return name;
    const origin = this.originOf(tensor);
    if (origin) return this.label(origin.node);
    return this.leafOrder.has(tensor) ? this.leafKey(tensor) : `tensor ${tensor}`;
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
    this.nodeIds.push(record.id);
    this.order.set(record.id, this.nodeIds.length);
    this.opKeys.set(record.id, `n${this.nodeIds.length}`);
    this.scopes.set(record.id, this.asides.place(record, inLane(record, this.calls.resolve(record.scope ?? []))));
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
    else if (wire.leaf !== null) {
      if (!this.leafOrder.has(wire.leaf)) this.leafOrder.set(wire.leaf, this.leafIds.push(wire.leaf));
      push(this.leaves, wire.leaf, use);
    }
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Counts the calls of each module, so that a cell that runs three times in a step is three boxes, not a loop. */
class Calls {
  private readonly counts = new Map<string, number>();
  private readonly stack: { plain: string; segment: string }[] = [];
  /** The scope with the call numbers in it: one array for all ops of a call. */
  private here: readonly string[] | null = null;

  enter(path: readonly string[]): void {
    const plain = path.join("/");
    const key = [...this.stack.map((s) => s.segment), path.at(-1)].join("/");
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    const segment = path.at(-1) ?? "";
    this.stack.push({ plain, segment: count === 1 ? segment : numbered(segment, count) });
    this.here = null;
  }

  leave(): void {
    this.stack.pop();
    this.here = null;
  }

  /** The scope with the call numbers in it, where the calls around are known. */
  resolve(scope: readonly string[]): readonly string[] {
    if (this.stack.length !== scope.length || this.stack.at(-1)?.plain !== scope.join("/")) return scope;
    return (this.here ??= this.stack.map((s) => s.segment));
  }
}

function numbered(segment: string, count: number): string {
  const [name, type = ""] = segment.split(":");
  return `${name} (${count}):${type}`;
}

export const ASIDE = "no gradient";

/** Ops that ran without being recorded, such as the preparing of a batch, stand together, one group for each stretch. */
class Asides {
  private readonly stretches = new Map<string, { count: number; open: boolean }>();

  place(node: NodeRecord, scope: readonly string[]): readonly string[] {
    const key = scope.join("/");
    const stretch = this.stretches.get(key) ?? { count: 0, open: false };
    this.stretches.set(key, stretch);
    if (node.recorded !== false || (node.layer ?? 0) > 0) {
      stretch.open = false;
      return scope;
    }
    if (!stretch.open) stretch.count += 1;
    stretch.open = true;
    return [...scope, stretch.count === 1 ? `${ASIDE}:` : numbered(`${ASIDE}:`, stretch.count)];
  }
}

/** The graph of a gradient lives in a lane of its own. */
function inLane(node: NodeRecord, scope: readonly string[]): readonly string[] {
  const layer = node.layer ?? 0;
  return layer === 0 ? scope : [`${LANE}${layer}:graph of the gradient`, ...scope];
}

export const LANE = "∇";
