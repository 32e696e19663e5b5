/**
 * The contents of a step at any moment: ops, leaves, edges, modules. It only grows. `fold.ts` handles the moment; the
 * layout uses only this structure, so nothing moves when backward starts.
 */
import type { AnyRecord, Detached, Input, NodeRecord, Place, ScopeEntered, TensorFacts } from "../protocol";
import { Collectives } from "./collectives";
import { Keys } from "./keys";
import { moduleType } from "./format";
import { isRankSegment, laneIn, rankSaid, laneSuffix } from "./ranks";
import { t } from "../language/text";

/** One use of a tensor: the node and its input. */
export interface Use {
  node: number;
  index: number;
}

/** The origin of a tensor. */
export interface Origin {
  node: number;
  output: number;
}

/** An input of a node, with its source. */
export interface Wire {
  input: Input;
  index: number;
  from: Origin | null;
  leaf: number | null;
}

export class Structure {
  readonly nodes = new Map<number, NodeRecord>();
  readonly tensors = new Map<number, TensorFacts>();
  readonly wires = new Map<number, Wire[]>();
  /** Tensors that ops of this step use but did not make; drawn as pills. */
  readonly leaves = new Map<number, Use[]>();
  readonly uses = new Map<string, Use[]>();
  readonly sources = new Map<string, string>();
  readonly collectives = new Collectives();
  /** The `detached` records, in order. */
  readonly cuts: Detached[] = [];
  /** Increases whenever a new layout is needed. */
  version = 0;
  /** Whether the step has ended: no ops follow. */
  over = false;
  /** Whether functions of the program are around some ops. */
  hasFunctions = false;
  /** The number of ops that gradient rules ran without recording them; they are not drawn. */
  hidden = 0;

  private readonly opKeys = new Keys("n");
  private readonly leafKeys = new Keys("t");
  private newestNode = 0;
  private readonly origins = new Map<number, Origin>();
  /** Tensors made by an op that have left the graph. */
  private readonly outside = new Set<number>();
  private readonly scopes = new Map<number, readonly string[]>();
  /** The calls of each rank; "" for a program that ran alone. */
  private readonly calls = new Map<string, Calls>();
  private readonly asides = new Asides();

  append(records: readonly AnyRecord[]): void {
    for (const record of records) {
      if (record.type === "node") this.addNode(record);
      else if (record.type === "tensor") this.addTensor(record);
      else if (record.type === "source") this.sources.set(record.file, record.text);
      else if (record.type === "detached") this.addCut(record);
      else if (record.type === "scope_entered") this.enterScope(record);
      else if (record.type === "scope_left") this.callsIn(record.path).leave();
      else if (record.type === "step_taken") this.over = true;
      else if (record.type === "collective_ran") {
        this.collectives.take(record);
        this.version += 1;
      }
    }
  }

  /** All modules inside an outermost one, as path:Type, by its scope. */
  readonly foretold = new Map<string, readonly string[]>();

  private enterScope({ path, modules }: ScopeEntered): void {
    this.callsIn(path).enter(path);
    if (modules) this.foretold.set(path.join("/"), modules);
  }

  /** The modules around a node, outermost first; each call of a module is separate. */
  scopeOf(node: number): readonly string[] {
    return this.scopes.get(node) ?? [];
  }

  /** The users of output number `output` of `node`. */
  usesOf(node: number, output = 0): readonly Use[] {
    return this.uses.get(`${node}.${output}`) ?? [];
  }

  /** The tensor of a node's output. */
  output(node: number, output = 0): TensorFacts | undefined {
    return this.nodes.get(node)?.outputs[output];
  }

  /** The node and output that last made a tensor. */
  originOf(tensor: number): Origin | null {
    return this.origins.get(tensor) ?? null;
  }

  /** Key of an op in the picture and in the address bar. */
  opKey = (node: number): string => this.opKeys.keyOf(node);
  leafKey = (tensor: number): string => this.leafKeys.keyOf(tensor);

  nodeOfKey = (key: string): number | null => this.opKeys.idOf(key);
  leafOfKey = (key: string): number | null => this.leafKeys.idOf(key);

  /** The number of a node's op in the step, from 1, counted within each rank. */
  numberOf = (node: number): number => this.opKeys.numberOf(node);

  /** Key of the op that ran last. */
  get newest(): string {
    return this.opKey(this.newestNode);
  }

  /** A node's name for people: `Tanh #3`, `rank 1 Tanh #3`. */
  label(node: number | null | undefined): string {
    const record = node == null ? undefined : this.nodes.get(node);
    return record
      ? `${rankSaid(laneIn(record.scope ?? []))} ${record.op} #${this.numberOf(record.id)}`.trim()
      : t("a node outside this step");
  }

  nameOf = (tensor: number): string | null => this.tensors.get(tensor)?.name ?? null;

  /** A tensor's name for people: its own, else the op that made it. */
  describe(tensor: number | null | undefined): string {
    if (tensor == null) return t("constant");
    const name = this.nameOf(tensor);
    if (name) return name;
    const origin = this.originOf(tensor);
    if (origin) return this.label(origin.node);
    return t("tensor {number}", { number: this.leaves.has(tensor) ? this.leafKeys.numberOf(tensor) : tensor });
  }

  /** What came along a wire, for people. Where only the numbers of a step were taken, its op is known, and no tensor. */
  describeWire({ input, from }: Wire): string {
    const named = input.tensor != null && this.nameOf(input.tensor) !== null;
    return from && !named ? this.label(from.node) : this.describe(input.tensor);
  }

  /** All nodes made at a line of a file. */
  nodesAt(file: string, line: number): number[] {
    return [...this.nodes.values()].filter((n) => n.at?.file === file && n.at.line === line).map((n) => n.id);
  }

  placeOf(node: number): Place | null {
    return this.nodes.get(node)?.at ?? null;
  }

  private addTensor(record: TensorFacts): void {
    if (!this.tensors.has(record.id)) this.tensors.set(record.id, record);
  }

  private addNode(record: NodeRecord): void {
    if (this.nodes.has(record.id)) return;
    if (record.made_by != null && record.recorded === false) {
      this.hidden += 1;
      return;
    }
    this.nodes.set(record.id, record);
    this.opKeys.add(record.id, laneSuffix(record));
    this.newestNode = record.id;
    this.hasFunctions ||= (record.calls?.length ?? 0) > 0;
    this.scopes.set(record.id, this.asides.place(record, inLane(record, this.around(record))));
    const wires = record.inputs.map((input, index) => this.wire(input, index));
    this.wires.set(record.id, wires);
    for (const wire of wires) this.noteUse(record.id, wire);
    record.outputs.forEach((tensor, output) => {
      if (!this.tensors.has(tensor.id)) this.tensors.set(tensor.id, tensor);
      this.origins.set(tensor.id, { node: record.id, output });
      this.outside.delete(tensor.id);
    });
    this.version += 1;
  }

  /** The calls of modules in the process of this scope. */
  private callsIn(scope: readonly string[]): Calls {
    const lane = isRankSegment(scope[0] ?? "") ? scope[0]! : "";
    let calls = this.calls.get(lane);
    if (!calls) this.calls.set(lane, (calls = new Calls(lane)));
    return calls;
  }

  /** The modules around an op. Ops that a checkpoint runs again belong to the call that it recomputes. */
  private around(record: NodeRecord): readonly string[] {
    const scope = record.scope ?? [];
    if (!record.recomputed || record.made_by == null) return this.callsIn(scope).resolve(scope);
    const first = this.scopeOf(record.made_by);
    const own = scope.filter((segment) => !isRankSegment(segment));
    const depth = first.findIndex((segment) => moduleType(segment) === moduleType(own[0] ?? ""));
    const [outer, inner] = depth < 0 ? [first, own] : [first.slice(0, depth + 1), own.slice(1)];
    return [...outer, `${AGAIN}:`, ...inner];
  }

  /** Records a cut. After detach_(), the tensor counts as made by no op. */
  private addCut(cut: Detached): void {
    this.cuts.push(cut);
    if (cut.result === cut.tensor) this.outside.add(cut.tensor);
  }

  /** Finds the source of an input now, because an in-place op gives a tensor a new source. */
  private wire(input: Input, index: number): Wire {
    const tensor = input.tensor ?? null;
    const made = input.node != null && this.nodes.has(input.node) ? input.node : null;
    const from = made !== null ? { node: made, output: input.output ?? 0 } : this.origin(tensor);
    return { input, index, from, leaf: from === null ? tensor : null };
  }

  private origin(tensor: number | null): Origin | null {
    return tensor === null || this.outside.has(tensor) ? null : (this.origins.get(tensor) ?? null);
  }

  private noteUse(node: number, wire: Wire): void {
    const use = { node, index: wire.index };
    if (wire.from) push(this.uses, `${wire.from.node}.${wire.from.output}`, use);
    else if (wire.leaf !== null) {
      this.leafKeys.add(wire.leaf, laneSuffix(this.nodes.get(node)!));
      push(this.leaves, wire.leaf, use);
    }
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/**
 * Counts the calls of each module, so that a cell that runs three times in a step is three boxes rather than a loop.
 */
class Calls {
  private readonly counts = new Map<string, number>();
  private readonly stack: { plain: string; segment: string }[] = [];
  /** The scope with call numbers: one array for all ops of a call. */
  private here: readonly string[] | null = null;

  constructor(lane: string) {
    if (lane) this.stack.push({ plain: lane, segment: lane });
  }

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

  /** The scope with call numbers, if the calls around it are known. */
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
export const AGAIN = "recomputed";
/** Whether a group of ops is secondary, and so closed at first. */
export const isAside = (segment: string): boolean => segment.startsWith(ASIDE) || segment === `${AGAIN}:`;

/** Ops that ran without being recorded, such as the preparation of a batch, form one group for each stretch. */
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

/** The scope of an op in a gradient's graph, which has a lane of its own. */
function inLane(node: NodeRecord, scope: readonly string[]): readonly string[] {
  const layer = node.layer ?? 0;
  return layer === 0 ? scope : [`${LANE}${layer}:graph of the gradient`, ...scope];
}

export const LANE = "∇";
