/** The layout problem in Graphviz's language, and its answer parsed. Both lanes are edges, so that both get room. */
import { GAP, SMALL_GAP } from "../theme/scale";
import { shifted, type Curve } from "./geometry";
import type { Block, Lane, Link, Problem, Solution } from "./problem";

/**
 * With more links than this, the two lanes share one route: the picture is dense anyway, and dot is four times as fast.
 */
const TWO_LANES_UP_TO = 160;

export function writeDot(problem: Problem): string {
  const gap = problem.tight ? SMALL_GAP : GAP;
  const lines = [
    "digraph G {",
    `graph [rankdir=TB, ranksep=${gap.rank / 72}, nodesep=${gap.node / 72}, splines=true, nslimit=4, nslimit1=4, mclimit=0.5]`,
    "node [shape=plain, margin=0]",
    "edge [dir=none]",
    ...problem.blocks.map(blockLine),
    ...rankLines(problem),
  ];
  const twice = problem.links.length <= TWO_LANES_UP_TO;
  problem.links.forEach((link, i) => lines.push(...linkLines(link, i, twice)));
  return [...lines, "}"].join("\n");
}

function linkLines(link: Link, index: number, twice: boolean): string[] {
  const from = (lane: string): string => `b${link.from}:o${link.out}${lane}:s`;
  const to = (lane: string): string => `b${link.to}:i${link.in}${lane}:n`;
  const lines = [`${from("f")} -> ${to("f")} [id="f${index}", weight=3]`];
  if (twice && link.grad) lines.push(`${from("b")} -> ${to("b")} [id="b${index}"]`);
  return lines;
}

function rankLines(problem: Problem): string[] {
  const named = (rank: Block["rank"]): string[] => problem.blocks.flatMap((b, i) => (b.rank === rank ? [`b${i}`] : []));
  const lines: string[] = [];
  const first = named("first");
  const last = named("last");
  if (first.length > 0) lines.push(`{rank=source; ${first.join("; ")}}`);
  if (last.length > 0) lines.push(`{rank=sink; ${last.join("; ")}}`);
  return lines;
}

const TABLE = '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">';

function blockLine(block: Block, index: number): string {
  const edge = 2;
  const top = block.ins.length > 0 ? portRow(block.w, edge, block.ins, "i") : spacer(block.w, edge);
  const bottom = block.outs.length > 0 ? portRow(block.w, edge, block.outs, "o") : spacer(block.w, edge);
  const middle = block.h > 2 * edge ? spacer(block.w, block.h - 2 * edge) : "";
  return `b${index} [label=<${TABLE}${top}${middle}${bottom}</TABLE>>]`;
}

const cell = (w: number, h: number, port = ""): string =>
  `<TD FIXEDSIZE="TRUE" WIDTH="${w}" HEIGHT="${h}"${port && ` PORT="${port}"`}></TD>`;
const spacer = (w: number, h: number): string => `<TR>${cell(Math.round(w), Math.round(h))}</TR>`;

/** A row of narrow cells, one centred on each lane. */
function portRow(width: number, height: number, lanes: Lane[], side: "i" | "o"): string {
  const ports = lanes
    .flatMap((lane, i) => [
      { x: Math.round(lane.f), name: `${side}${i}f` },
      { x: Math.round(lane.b), name: `${side}${i}b` },
    ])
    .sort((a, b) => a.x - b.x);
  const cells: string[] = [];
  let at = 0;
  for (const { x, name } of ports) {
    const left = Math.max(at, x - 1);
    if (left > at) cells.push(cell(left - at, height));
    cells.push(cell(2, height, name));
    at = left + 2;
  }
  if (at < width) cells.push(cell(Math.round(width) - at, height));
  return `<TR><TD>${TABLE}<TR>${cells.join("")}</TR></TABLE></TD></TR>`;
}

interface DotAnswer {
  bb: string;
  objects?: { name: string; pos?: string }[];
  edges?: { id: string; pos?: string }[];
}

export function readDot(problem: Problem, json: string): Solution {
  const answer = JSON.parse(json) as DotAnswer;
  const [, , width = 0, height = 0] = answer.bb.split(",").map(Number);
  const at = problem.blocks.map(() => ({ x: 0, y: 0 }));
  for (const object of answer.objects ?? []) {
    const index = Number(object.name.slice(1));
    const block = problem.blocks[index];
    if (!block || !object.pos) continue;
    const [x = 0, y = 0] = object.pos.split(",").map(Number);
    at[index] = { x: x - block.w / 2, y: height - y - block.h / 2 };
  }
  const curves = new Map<string, Curve>();
  for (const edge of answer.edges ?? []) if (edge.pos) curves.set(edge.id, readCurve(edge.pos, height));
  const forward = problem.links.map((_, i) => curves.get(`f${i}`) ?? []);
  const backward = problem.links.map((link, i) =>
    link.grad ? (curves.get(`b${i}`) ?? beside(problem, link, forward[i]!)) : null,
  );
  return { w: width, h: height, at, forward, backward };
}

function readCurve(pos: string, height: number): Curve {
  return pos
    .split(" ")
    .filter((p) => /^-?[\d.]/.test(p))
    .flatMap((p) => {
      const [x = 0, y = 0] = p.split(",").map(Number);
      return [x, height - y];
    });
}

/** The forward route, moved to the other lane. */
function beside(problem: Problem, link: Link, forward: Curve): Curve {
  const lane = problem.blocks[link.to]!.ins[link.in]!;
  return shifted(forward, lane.b - lane.f, 0);
}
