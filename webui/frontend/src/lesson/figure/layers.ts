/** The layout of a small graph: inputs above, each value below all that it uses. */
export interface Placed {
  x: number;
  y: number;
}

/** An edge, and the points that it goes through. */
export interface Edge {
  from: string;
  to: string;
  points: Placed[];
}

export interface Laid {
  boxes: Map<string, Placed>;
  edges: Edge[];
  box: { width: number; height: number };
  width: number;
  height: number;
}

interface Leaf {
  name: string;
  uses: string[];
}

const [HEIGHT, ACROSS, DOWN, LANE] = [62, 34, 74, 46];

export function place(nodes: Leaf[], boxWidth: number): Laid {
  const depth = depths(nodes);
  const rows: string[][] = Array.from({ length: Math.max(...depth.values()) + 1 }, () => []);
  for (const { name } of nodes) rows[depth.get(name)!]!.push(name);
  const lanes = new Map<string, string[]>();
  for (const { name, uses } of nodes)
    for (const from of uses)
      for (let row = depth.get(from)! + 1; row < depth.get(name)!; row++) {
        const lane = `${from} ${name} ${row}`;
        rows[row]!.push(lane);
        lanes.set(`${from} ${name}`, [...(lanes.get(`${from} ${name}`) ?? []), lane]);
      }
  const spots = spread(rows, (item) => (depth.has(item) ? boxWidth : LANE));
  const edges = nodes.flatMap(({ name, uses }) =>
    uses.map((from) => ({
      from,
      to: name,
      points: [...(lanes.get(`${from} ${name}`) ?? [])].map((lane) => middle(spots.get(lane)!)),
    })),
  );
  const boxes = new Map([...depth.keys()].map((name) => [name, spots.get(name)!]));
  const right = Math.max(...[...spots].map(([item, { x }]) => x + (depth.has(item) ? boxWidth : LANE)));
  const height = rows.length * (HEIGHT + DOWN) - DOWN;
  return {
    boxes,
    edges: fanned(edges, boxes, boxWidth),
    box: { width: boxWidth, height: HEIGHT },
    width: right,
    height,
  };
}

const middle = ({ x, y }: Placed): Placed => ({ x: x + LANE / 2, y: y + HEIGHT / 2 });

/** A leaf is placed just above the first value that uses it. */
function depths(nodes: Leaf[]): Map<string, number> {
  const depth = new Map<string, number>();
  for (const { name, uses } of nodes) depth.set(name, 1 + Math.max(-1, ...uses.map((each) => depth.get(each) ?? 0)));
  for (const { name, uses } of nodes) {
    const users = nodes.filter((each) => each.uses.includes(name));
    if (uses.length === 0 && users.length > 0)
      depth.set(name, Math.min(...users.map((each) => depth.get(each.name)!)) - 1);
  }
  return depth;
}

/** Centres each row, with its boxes and the lanes of longer edges side by side. */
function spread(rows: string[][], widthOf: (item: string) => number): Map<string, Placed> {
  const widths = rows.map((row) => row.reduce((sum, item) => sum + widthOf(item) + ACROSS, -ACROSS));
  const widest = Math.max(...widths);
  const spots = new Map<string, Placed>();
  rows.forEach((row, at) => {
    let x = (widest - widths[at]!) / 2;
    for (const item of row) {
      spots.set(item, { x, y: at * (HEIGHT + DOWN) });
      x += widthOf(item) + ACROSS;
    }
  });
  return spots;
}

/** Puts edges that meet at one box side by side, ordered by their other ends. */
function fanned(edges: Edge[], boxes: Map<string, Placed>, width: number): Edge[] {
  const slot = (mine: Edge, group: Edge[], towards: (edge: Edge) => number): number => {
    const sorted = [...group].sort((a, b) => towards(a) - towards(b));
    return (width * (sorted.indexOf(mine) + 1)) / (group.length + 1);
  };
  const next = (edge: Edge): number => edge.points[0]?.x ?? boxes.get(edge.to)!.x + width / 2;
  const last = (edge: Edge): number => edge.points.at(-1)?.x ?? boxes.get(edge.from)!.x + width / 2;
  return edges.map((edge) => {
    const [above, below] = [boxes.get(edge.from)!, boxes.get(edge.to)!];
    const out = edges.filter((each) => each.from === edge.from);
    const into = edges.filter((each) => each.to === edge.to);
    const start = { x: above.x + slot(edge, out, next), y: above.y + HEIGHT };
    const end = { x: below.x + slot(edge, into, last), y: below.y };
    return { ...edge, points: [start, ...edge.points, end] };
  });
}

/** A smooth line through an edge's points, moved aside by a shift. */
export function line(points: Placed[], shift: number): string {
  const [first, ...rest] = points as [Placed, ...Placed[]];
  let [path, before] = [`M${first.x + shift} ${first.y}`, first];
  for (const each of rest) {
    const bend = Math.max(20, (each.y - before.y) / 2);
    path += `C${before.x + shift} ${before.y + bend} ${each.x + shift} ${each.y - bend} ${each.x + shift} ${each.y}`;
    before = each;
  }
  return path;
}

/** The point of an edge where its number is drawn. */
export function labelled(points: Placed[]): Placed {
  const at = Math.floor(points.length / 2);
  if (points.length % 2) return points[at]!;
  const [one, other] = [points[at - 1]!, points[at]!];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}
