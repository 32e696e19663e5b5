/**
 * Continues a frame that is too tall for the pane in columns, as in a newspaper. It is cut where no block lies, at the
 * place with the fewest lines. A line within a column is unchanged. A line between columns leaves its row, runs through
 * the gutter between them and enters by the row above its target; a line to a farther column runs over the top. So no
 * line crosses a block.
 */
import { GAP } from "../theme/scale";
import { around, type Curve, lineTo, orthogonal, shifted } from "./geometry";
import type { Lane, Link, Problem, Solution } from "./problem";

/** The pane in the picture's own pixels, at the smallest zoom at which it can be read. */
export interface Room {
  w: number;
  h: number;
  /** An inner frame may always be this tall. */
  least?: number;
  /** A frame that is too large may become a list. */
  packed?: boolean;
}

/** The distance between parallel lines. */
const TRACK = 9;
/** The width of a gutter, without the lines in it. */
const GUTTER = 24;
/** The space above the first block of a column, where lines enter. */
const HEAD = 14;
/** A column is filled at least to this part of its height before it is cut. */
const LEAST_FILLED = 0.55;
/** A frame with more blocks is read as a list. */
const MOST_BLOCKS = 400;
/** If columns of the pane's height are too wide together, they are repeatedly made taller by this factor. */
const TALLER = 1.25;

/**
 * The same solution in as many columns as its height needs; unchanged if it fits, or if the columns would be too wide.
 */
export function inColumns(problem: Problem, solution: Solution, room: Room | null): Solution {
  if (room === null || solution.h <= room.h || problem.blocks.length > MOST_BLOCKS) return solution;
  if (problem.links.some(({ from, to }) => solution.at[to]!.y < solution.at[from]!.y)) return solution;
  const rows = clearRows(problem, solution);
  for (let height = room.h; height < solution.h; height *= TALLER) {
    const wrapped = new Wrapping(problem, solution, rows, cutsOf(problem, solution, rows, height));
    if (wrapped.columns.length > 1 && wrapped.width <= room.w) return wrapped.solution();
  }
  return solution;
}

/** A horizontal band of the frame without blocks. */
interface Row {
  from: number;
  to: number;
}

function clearRows({ blocks }: Problem, { at }: Solution): Row[] {
  const spans = blocks.map((b, i) => ({ from: at[i]!.y, to: at[i]!.y + b.h })).sort((a, b) => a.from - b.from);
  const rows: Row[] = [];
  let end = Infinity;
  for (const span of spans) {
    if (span.from - end > 1) rows.push({ from: end, to: span.from });
    end = Math.max(end === Infinity ? 0 : end, span.to);
  }
  return rows;
}

/** The rows below which each column except the last ends. */
function cutsOf({ blocks, links }: Problem, { at, h }: Solution, rows: readonly Row[], height: number): Row[] {
  const ports = blocks.flatMap((b, i) => (b.rank === "first" ? [at[i]!.y + b.h] : []));
  const below = rows.filter((row) => ports.every((port) => row.from > port));
  const through = ({ from, to }: Row): number =>
    links.filter((link) => at[link.from]!.y < from && at[link.to]!.y >= to - 1 && blocks[link.to]!.rank !== "last")
      .length;
  const cuts: Row[] = [];
  for (let top = 0; h - top > height;) {
    const lower = below.filter((row) => row.from > top + LEAST_FILLED * height);
    const within = lower.filter((row) => row.from <= top + height);
    const among = within.length > 0 ? within : lower.slice(0, 1);
    const fewest = Math.min(...among.map(through));
    const cut = among.findLast((row) => through(row) === fewest);
    if (!cut || !blocks.some((b, i) => b.rank === null && at[i]!.y >= cut.to - 1)) break;
    cuts.push(cut);
    top = cut.to;
  }
  return cuts;
}

interface Column {
  /** Heights in the uncut solution. */
  from: number;
  to: number;
  left: number;
  right: number;
}

/** A line from one column to another. */
interface Crossing {
  index: number;
  link: Link;
  lane: keyof Lane;
  /** Lines of one port share a path. */
  key: string;
}

class Wrapping {
  readonly columns: readonly Column[];
  readonly width: number;
  private readonly home: readonly number[];
  private readonly crossings: readonly Crossing[];
  /** The lines that run over the columns, under them, and in the gutter left of each. */
  private readonly over: readonly string[];
  private readonly under: readonly string[];
  private readonly gutters: readonly (readonly string[])[];
  /** The start of each gutter, and the shift of each column. */
  private readonly gutterAt: number[] = [];
  private readonly moves: [number, number][] = [];
  private readonly top: number;
  private readonly bottom: number;

  constructor(
    private readonly problem: Problem,
    private readonly before: Solution,
    private readonly rows: readonly Row[],
    cuts: readonly Row[],
  ) {
    const { blocks, links } = problem;
    const last = cuts.length;
    this.home = blocks.map(({ rank }, i) =>
      rank === "last" ? last : cuts.filter((cut) => before.at[i]!.y >= cut.to - 1).length,
    );
    this.columns = Array.from({ length: last + 1 }, (_, i) => this.columnOf(i, cuts));
    this.crossings = links.flatMap((link, index) => {
      if (this.home[link.from] === this.home[link.to]) return [];
      const key = `${link.from} ${link.out}`;
      const data: Crossing = { index, link, lane: "f", key: `${key} f` };
      return before.backward[index] ? [data, { ...data, lane: "b", key: `${key} b` }] : [data];
    });
    const tracks = (takes: (line: Crossing) => boolean): string[] => [
      ...new Set(this.crossings.filter(takes).map(({ key }) => key)),
    ];
    this.over = tracks(({ link }) => this.goesOver(link));
    this.under = tracks(({ link }) => this.goesUnder(link));
    this.gutters = this.columns.map((_, i) =>
      tracks(({ link }) => this.leavesBy(link) === i || this.comesBy(link) === i),
    );
    const tops = blocks.flatMap((b, i) => (b.rank === "first" ? [] : [before.at[i]!.y]));
    this.top = Math.min(...tops) + TRACK * this.over.length;
    this.width = this.arrange();
    const ends = blocks.flatMap((b, i) => (b.rank === "last" ? [] : [this.placeOf(i).y + b.h]));
    this.bottom = Math.max(...ends) + TRACK * this.under.length;
  }

  solution(): Solution {
    const { problem, before } = this;
    const kept = (curve: Curve | null, i: number): Curve | null => {
      const { from, to } = problem.links[i]!;
      const [dx, dy] = this.moves[this.home[from]!]!;
      if (!curve || this.home[from] !== this.home[to]) return curve;
      const port = problem.blocks[from]!.rank === "first" || problem.blocks[to]!.rank === "last";
      const moved = shifted(curve, dx, dy);
      return port ? carriedOn(moved, this.placeOf(from).y + problem.blocks[from]!.h, this.placeOf(to).y) : moved;
    };
    const forward = before.forward.map((curve, i) => kept(curve, i)!);
    const backward = before.backward.map(kept);
    for (const line of this.crossings) (line.lane === "f" ? forward : backward)[line.index] = this.route(line);
    const sinks = problem.blocks.some((b) => b.rank === "last");
    const h = this.bottom + (sinks ? GAP.rank + 4 : 0);
    return { w: this.width, h, at: problem.blocks.map((_, i) => this.placeOf(i)), forward, backward };
  }

  private columnOf(column: number, cuts: readonly Row[]): Column {
    const { blocks, links } = this.problem;
    const { at, h, forward, backward } = this.before;
    const rects = blocks.flatMap((b, i) => (this.home[i] === column ? [{ x: at[i]!.x, w: b.w }] : []));
    const lines = links.flatMap(({ from, to }, i) =>
      this.home[from] === column && this.home[to] === column ? [forward[i]!, backward[i] ?? []] : [],
    );
    const all = [...rects, ...lines.filter((curve) => curve.length > 0).map(around)];
    return {
      from: cuts[column - 1]?.to ?? 0,
      to: cuts[column]?.from ?? h,
      left: Math.min(...all.map(({ x }) => x)),
      right: Math.max(...all.map(({ x, w }) => x + w)),
    };
  }

  /** Puts the columns side by side; returns their width including gutters. */
  private arrange(): number {
    let x = 0;
    this.columns.forEach(({ from, left, right }, i) => {
      this.gutterAt.push(x + GUTTER / 2);
      if (i > 0) x += GUTTER + TRACK * this.gutters[i]!.length;
      this.moves.push([x - left, i === 0 ? TRACK * this.over.length : this.top + HEAD - from]);
      x += right - left;
    });
    return x;
  }

  private goesOver({ from, to }: Link): boolean {
    return this.isPort(from, "first") || (!this.isPort(to, "last") && this.home[to]! - this.home[from]! !== 1);
  }

  private goesUnder({ to }: Link): boolean {
    return this.isPort(to, "last");
  }

  /** The gutter beside the column that a line leaves; null for a line from the frame's top, which needs none. */
  private leavesBy(link: Link): number | null {
    return this.isPort(link.from, "first") ? null : this.home[link.from]! + 1;
  }

  private comesBy(link: Link): number | null {
    return this.isPort(link.to, "last") ? null : this.home[link.to]!;
  }

  private isPort(block: number, rank: "first" | "last"): boolean {
    return this.problem.blocks[block]!.rank === rank;
  }

  private placeOf(i: number): { x: number; y: number } {
    const { x, y } = this.before.at[i]!;
    const [dx, dy] = this.moves[this.home[i]!]!;
    const { rank } = this.problem.blocks[i]!;
    return { x: x + dx, y: rank === "first" ? y : rank === "last" ? this.bottom + GAP.rank : y + dy };
  }

  private route({ link, lane, key }: Crossing): Curve {
    const [from, to] = [this.problem.blocks[link.from]!, this.problem.blocks[link.to]!];
    const [a, b] = [this.placeOf(link.from), this.placeOf(link.to)];
    const [x0, y0] = [a.x + (from.outs[link.out]?.[lane] ?? from.w / 2), a.y + from.h];
    const [x1, y1] = [b.x + (to.ins[link.in]?.[lane] ?? to.w / 2), b.y];
    const out = this.leavesBy(link);
    const into = this.comesBy(link);
    const points: [number, number][] = [[x0, y0]];
    const bend = (x: number, y: number): void => void points.push([points.at(-1)![0], y], [x, y]);
    if (out !== null) bend(this.trackIn(out, key), this.rowBelow(link.from, lane));
    if (this.goesUnder(link)) bend(x1, this.bottom - TRACK * (this.under.indexOf(key) + 0.5));
    if (this.goesOver(link)) bend(this.trackIn(into!, key), this.top - TRACK * (this.over.indexOf(key) + 0.5));
    if (into !== null) bend(x1, this.rowAbove(link.to, lane));
    points.push([x1, y1]);
    return orthogonal(points);
  }

  private trackIn(gutter: number, key: string): number {
    return this.gutterAt[gutter]! + TRACK * (this.gutters[gutter]!.indexOf(key) + 0.5);
  }

  /** A row without blocks below a block. */
  private rowBelow(i: number, lane: keyof Lane): number {
    const end = this.before.at[i]!.y + this.problem.blocks[i]!.h;
    const row = this.rows.find(({ from }) => from >= end - 1) ?? { from: end, to: end + HEAD };
    return row.from + depthIn(row, lane) + this.moves[this.home[i]!]![1];
  }

  private rowAbove(i: number, lane: keyof Lane): number {
    const start = this.before.at[i]!.y;
    const row = this.rows.findLast(({ to }) => to <= start + 1) ?? { from: start - HEAD, to: start };
    return row.to - depthIn(row, lane === "f" ? "b" : "f") + this.moves[this.home[i]!]![1];
  }
}

/** The depth of a line in its row: data and gradient are side by side. */
const depthIn = ({ from, to }: Row, lane: keyof Lane): number =>
  Math.min(HEAD, to - from) * (lane === "f" ? 0.3 : 0.65);

/** Extends a line to a port of the frame to the port's new place. */
function carriedOn(curve: Curve, start: number, end: number): Curve {
  const whole = [curve[0]!, start];
  lineTo(whole, curve[0]!, curve[1]!);
  whole.push(...curve.slice(2));
  lineTo(whole, whole.at(-2)!, end);
  return whole;
}
