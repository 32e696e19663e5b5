/** Gradient norms by module: one row for each, which opens to its modules and parameters. */
import { graver, type Line, type Norm } from "./norms";

/** With more parameters than this, rows begin as modules. */
export const MANY = 32;

/** Modules are opened, level by level, up to this number of rows. */
const MOST_ROWS = 24;

export interface Row {
  line: Line;
  depth: number;
  /** The path of the row's module; null for a parameter. */
  group: string | null;
  open: boolean;
  /** Parameters inside. */
  count: number;
}

interface Group {
  path: string;
  parts: Map<string, Group>;
  lines: Line[];
}

/** `chosen` has the modules, by path, that the user has opened (true) or closed. */
export function rowsOf(lines: readonly Line[], chosen: ReadonlyMap<string, boolean>): Row[] {
  const root = grouped(lines);
  const open = openedWithin(root);
  return rowsIn(root, 0, (path) => chosen.get(path) ?? open.has(path));
}

/** The rows to draw: those that are not opened to others. */
export const drawnIn = (rows: readonly Row[]): Line[] => rows.filter((row) => !row.open).map(({ line }) => line);

function grouped(lines: readonly Line[]): Group {
  const root: Group = { path: "", parts: new Map(), lines: [] };
  for (const line of lines) {
    let at = root;
    const names = line.label.split(".").slice(0, -1);
    for (const name of names) {
      const path = at.path === "" ? name : `${at.path}.${name}`;
      if (!at.parts.has(path)) at.parts.set(path, { path, parts: new Map(), lines: [] });
      at = at.parts.get(path)!;
    }
    at.lines.push(line);
  }
  return root;
}

/** Skips a module whose only content is another module. */
function inner(group: Group): Group {
  let at = group;
  while (at.lines.length === 0 && at.parts.size === 1) at = [...at.parts.values()][0]!;
  return at;
}

const within = (group: Group): Line[] => [...group.lines, ...[...group.parts.values()].flatMap(within)];

function openedWithin(root: Group): Set<string> {
  const open = new Set<string>();
  let level = [inner(root)];
  let rows = 0;
  while (level.length > 0) {
    const next = level.flatMap((group) => [...group.parts.values()].map(inner));
    const more = next.length + level.reduce((sum, { lines }) => sum + lines.length, 0);
    if (rows + more > MOST_ROWS && rows > 0) return open;
    rows += more;
    for (const { path } of level) open.add(path);
    level = next.filter((group) => within(group).length > 1);
  }
  return open;
}

function rowsIn(group: Group, depth: number, isOpen: (path: string) => boolean): Row[] {
  const at = depth === 0 ? inner(group) : group;
  const rows: Row[] = at.lines.map((line) => ({ line, depth, group: null, open: false, count: 1 }));
  for (const part of [...at.parts.values()].map(inner)) {
    const lines = within(part);
    if (lines.length === 1) {
      rows.push({ line: lines[0]!, depth, group: null, open: false, count: 1 });
      continue;
    }
    const open = isOpen(part.path);
    rows.push({ line: together(part.path, lines), depth, group: part.path, open, count: lines.length });
    if (open) rows.push(...rowsIn(part, depth + 1, isOpen));
  }
  return rows;
}

/** The norm of all gradients of a module. Its number is negative, unlike those of tensors. */
function together(path: string, lines: readonly Line[]): Line {
  return {
    tensor: -1 - lines[0]!.tensor - (path.split(".").length << 26),
    label: path,
    norms: lines[0]!.norms.map((_, i) => sum(lines.map(({ norms }) => norms[i] ?? null))),
    now: sum(lines.map(({ now }) => now)),
    remark: lines.map(({ remark }) => remark).reduce(graver, null),
  };
}

function sum(norms: readonly Norm[]): Norm {
  if (norms.includes("nan")) return "nan";
  if (norms.includes("inf")) return "inf";
  const lengths = norms.filter((norm) => typeof norm === "number");
  if (lengths.length > 0) return Math.hypot(...lengths);
  return norms.includes("none") ? "none" : null;
}
