/**
 * Where the camera is while it directs: a pure function of the subject, the places and the pane. The shot shows as much
 * around the subject as can be read: the whole picture if it fits, else the largest open frame around the subject that
 * does, else the subject in the middle.
 */
import { type Rect, union } from "../layout/geometry";
import { type Camera, onScreen, type Size } from "./camera";

/** The margins of the pane that lie under bars and buttons, in pixels. */
export interface Covered {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export interface Pane extends Size {
  covered: Covered;
}

export interface Scenery {
  /** The acting item, or the fold that shows it; null if nothing acts. */
  subject: Rect | null;
  /** The selection: it comes into the shot if it fits beside the subject. */
  also: Rect | null;
  /** The open frames around the subject, from the innermost out. */
  stages: readonly Rect[];
  bounds: Rect;
  /** At rest, the boxes that are most worth showing. */
  boxes: readonly Rect[];
  /** The smallest zoom at which all text of the picture can be read. */
  legible: number;
  /** More boxes come below, and their places are not known: this is the first step of a program that runs. */
  growing?: boolean;
  /** Where the program was lately, and for how long, if it repeats itself faster than the camera can follow. */
  recurring?: readonly Spell[];
  /** Where it will be until the camera may move again, if it does what it did before. */
  coming?: readonly Spell[];
}

/** A place where the program is for some time. */
export interface Spell {
  rect: Rect;
  ms: number;
}

const MARGIN = 12;
/** A shot that sees this part of what recurs is kept; with less, the camera goes where the program will be next. */
const ENOUGH = 0.75;
/** A shot that sees this much more of what recurs, as a part of it, is better. */
const WORTH = 0.1;
/** At most this many boxes are compared, those that act longest. */
const MOST_COMPARED = 32;
/** The room for frames left of a box at the left of the pane, and above a box at its top. */
const SIDE = 40;
/** If at most this part of the pane lies above the first op, the inputs there are shown completely. */
const NEAR_TOP = 0.25;
/** With more boxes, only the top of the picture is searched for the part with most content. */
const MOST_PLACED = 200;
/** A part farther down is shown only if it has this many times the content. */
const FAR_MORE = 2.5;
/** The part of the pane that is left free below the newest op of a picture that grows. */
const AHEAD = 0.6;
/** An op whose end is at most this far from that of the picture is the newest one. */
const AT_END = 60;
/** A picture that fits is not enlarged more than this. */
const LARGEST = 1.25;

/** `before` is where the camera was: a subject that was in good view already does not move it. */
export function shotOf(scenery: Scenery, pane: Pane, before: Camera | null = null): Camera {
  const { subject, stages, legible } = scenery;
  const ahead = roomAhead(scenery, pane);
  const below = (rect: Rect): Rect => ({ ...rect, h: rect.h + ahead });
  const bounds = below(scenery.bounds);
  const fits = (rect: Rect): boolean => fitting(rect, pane) >= legible;
  if (fits(bounds)) return centred(bounds, fitting(bounds, pane), pane);
  if (!subject) return within(centred(fullest(scenery, pane), legible, pane), bounds, pane);
  const stage = stages.map(below).findLast(fits);
  if (stage) return within(centred(stage, Math.min(1, fitting(stage, pane)), pane), bounds, pane);
  const wanted = withChosen(scenery, pane);
  if (before && before.zoom >= legible && shows(before, wanted, pane) && isInside(before, bounds, pane)) return before;
  return within(centred(below(wanted), legible, pane), bounds, pane);
}

/** The height to be left free below the newest op for those that come next. */
function roomAhead({ growing, subject, bounds, legible }: Scenery, pane: Pane): number {
  const last = subject !== null && subject.y + subject.h > bounds.y + bounds.h - AT_END;
  return growing && last ? (AHEAD * roomOf(pane).h) / legible : 0;
}

/**
 * The shot in a program that repeats itself fast. A camera that runs after each op is always late; so the shot shows
 * where most of the time is spent, and stays if it shows that already. Where that is too little, since the picture is
 * several times as large as the pane, it shows where the program will be next, as one turns pages.
 */
export function shotOfRecurring(scenery: Scenery, pane: Pane, before: Camera | null = null): Camera {
  const { bounds, legible, recurring = [], coming = [] } = scenery;
  const shot = shotOf(scenery, pane, before);
  if (recurring.length === 0 || fitting(bounds, pane) >= legible) return shot;
  const usable = before !== null && before.zoom >= legible && isInside(before, bounds, pane) ? before : null;
  const steady = shotOfMost(recurring, scenery, pane, shot, usable);
  if (coming.length === 0 || shareSeen(steady, recurring, pane) >= ENOUGH) return steady;
  return shotOfMost(coming, scenery, pane, shot, usable);
}

/** The shot that sees most of the spells; `before` or else `shot` if that is hardly worse. */
function shotOfMost(
  spells: readonly Spell[],
  scenery: Scenery,
  pane: Pane,
  shot: Camera,
  before: Camera | null,
): Camera {
  const seen = (camera: Camera): number => shareSeen(camera, spells, pane);
  const best = seen(shot) > 1 - WORTH ? shot : busiest(spells, scenery, pane, shot);
  const to = seen(best) > seen(shot) + WORTH ? best : shot;
  return before !== null && seen(before) > 0 && seen(to) <= seen(before) + WORTH ? before : to;
}

/** The part of the time in which what acts is in sight. */
function shareSeen(camera: Camera, spells: readonly Spell[], pane: Pane): number {
  let [all, seen] = [0, 0];
  for (const { rect, ms } of spells) {
    all += ms;
    if (shows(camera, rect, pane)) seen += ms;
  }
  return all === 0 ? 1 : seen / all;
}

/** The shot that sees the most of the spells; `shot` if no box fits into the pane. */
function busiest(spells: readonly Spell[], { bounds, legible }: Scenery, pane: Pane, shot: Camera): Camera {
  const room = roomOf(pane);
  const [w, h] = [room.w / legible, room.h / legible];
  const rects = [...spells].sort((a, b) => b.ms - a.ms).slice(0, MOST_COMPARED);
  let [best, most]: [Rect[], number] = [[], 0];
  for (const x of new Set(rects.map(({ rect }) => rect.x)))
    for (const y of new Set(rects.map(({ rect }) => rect.y))) {
      const inside = rects.filter(({ rect: r }) => r.x >= x && r.y >= y && r.x + r.w <= x + w && r.y + r.h <= y + h);
      const sum = inside.reduce((all, { ms }) => all + ms, 0);
      if (sum > most) [best, most] = [inside.map(({ rect }) => rect), sum];
    }
  return best.length === 0 ? shot : within(centred(union(best), legible, pane), bounds, pane);
}

/**
 * Of a picture wider than the pane, the part with the most content at the top of what is worth showing; farther down if
 * there is far more.
 */
function fullest({ bounds, boxes, legible }: Scenery, pane: Pane): Rect {
  const room = roomOf(pane);
  const [w, h] = [room.w / legible, room.h / legible];
  if (bounds.w <= w) return { ...bounds, h };
  const first = boxes.reduce((least, box) => Math.min(least, box.y), Infinity) - SIDE;
  const top = fullestAt(first - bounds.y < NEAR_TOP * h ? bounds.y : first, { w, h }, boxes, bounds);
  if (boxes.length > MOST_PLACED) return top.rect;
  const rows = new Set(boxes.map((box) => box.y - SIDE));
  const all = [...rows].map((y) => fullestAt(y, { w, h }, boxes, bounds));
  const best = all.reduce((a, b) => (b.area > a.area ? b : a), top);
  return best.area > FAR_MORE * top.area ? best.rect : top.rect;
}

/** The part of this size with the most content, whose top is at `y`. */
function fullestAt(
  y: number,
  { w, h }: { w: number; h: number },
  boxes: readonly Rect[],
  bounds: Rect,
): { rect: Rect; area: number } {
  const row = boxes.filter((box) => box.y >= y && box.y < y + h);
  let best = { rect: { ...bounds, y, h }, area: 0 };
  for (const x of new Set(row.map((box) => Math.max(bounds.x, box.x - SIDE)))) {
    const whole = row.filter((box) => box.x >= x && box.x + box.w <= x + w && box.y + box.h <= y + h);
    const area = whole.reduce((sum, box) => sum + box.w * box.h, 0);
    if (area > best.area) best = { rect: { x, y, w, h }, area };
  }
  return best;
}

function withChosen({ subject, also, legible }: Scenery, pane: Pane): Rect {
  if (!also) return subject!;
  const both = around(subject!, also);
  return fitting(both, pane) >= legible ? both : subject!;
}

/** Whether the whole rectangle is visible in the pane, under nothing else. */
export function shows(camera: Camera, rect: Rect, pane: Pane, slack = 1): boolean {
  const { x, y, w, h } = onScreen(camera, rect);
  const { left, right, top, bottom } = pane.covered;
  return (
    x >= left - slack &&
    y >= top - slack &&
    x + w <= pane.width - right + slack &&
    y + h <= pane.height - bottom + slack
  );
}

const roomOf = ({ width, height, covered: c }: Pane): { w: number; h: number } => ({
  w: Math.max(40, width - c.left - c.right - 2 * MARGIN),
  h: Math.max(40, height - c.top - c.bottom - 2 * MARGIN),
});

/** How many times too large a picture is to be read at once, horizontally and vertically. */
export function excess(bounds: Rect, pane: Pane, legible: number): { across: number; down: number } {
  const { w, h } = roomOf(pane);
  return { across: (bounds.w * legible) / w, down: (bounds.h * legible) / h };
}

/** The zoom at which a rectangle just fits into the uncovered part of the pane. */
export function fitting(rect: Rect, pane: Pane): number {
  const room = roomOf(pane);
  return Math.min(LARGEST, room.w / Math.max(1, rect.w), room.h / Math.max(1, rect.h));
}

export function centred(rect: Rect, zoom: number, pane: Pane): Camera {
  const { covered: c, width, height } = pane;
  return {
    x: rect.x + rect.w / 2 - (c.left + (width - c.left - c.right) / 2) / zoom,
    y: rect.y + rect.h / 2 - (c.top + (height - c.top - c.bottom) / 2) / zoom,
    zoom,
  };
}

/** The same place from further away. */
export function widened(camera: Camera, zoom: number, { covered: c, width, height }: Pane): Camera {
  const [x, y] = [c.left + (width - c.left - c.right) / 2, c.top + (height - c.top - c.bottom) / 2];
  return { x: camera.x + x / camera.zoom - x / zoom, y: camera.y + y / camera.zoom - y / zoom, zoom };
}

/** Moved so that the uncovered part of the pane shows content, with as little empty space as possible. */
function within(camera: Camera, bounds: Rect, pane: Pane): Camera {
  const { covered: c, width, height } = pane;
  const { zoom } = camera;
  const axis = (eye: number, from: number, length: number, start: number, end: number): number => {
    const [margin, span] = [MARGIN / zoom, (end - start) / zoom];
    const least = from - margin - start / zoom;
    const most = from + length + margin - end / zoom;
    if (length + 2 * margin <= span) return from + length / 2 - span / 2 - start / zoom;
    return Math.min(most, Math.max(least, eye));
  };
  return {
    x: axis(camera.x, bounds.x, bounds.w, c.left, width - c.right),
    y: axis(camera.y, bounds.y, bounds.h, c.top, height - c.bottom),
    zoom,
  };
}

function isInside(camera: Camera, bounds: Rect, pane: Pane): boolean {
  const there = within(camera, bounds, pane);
  return Math.abs(there.x - camera.x) < 1 && Math.abs(there.y - camera.y) < 1;
}

function around(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}

/** Moves as little as possible to make a rectangle visible; the same camera if it is visible already. */
export function reveal(camera: Camera, rect: Rect, pane: Pane): Camera {
  if (shows(camera, rect, pane, 0)) return camera;
  const { covered: c, width, height } = pane;
  const margin = 5 * MARGIN;
  const axis = (eye: number, from: number, length: number, start: number, end: number): number => {
    const [at, span] = [(from - eye) * camera.zoom, end - start];
    const size = length * camera.zoom;
    if (size + 2 * margin > span) return from + length / 2 - (start + span / 2) / camera.zoom;
    if (at < start + margin) return from - (start + margin) / camera.zoom;
    return at + size > end - margin ? from + length - (end - margin) / camera.zoom : eye;
  };
  return {
    x: axis(camera.x, rect.x, rect.w, c.left, width - c.right),
    y: axis(camera.y, rect.y, rect.h, c.top, height - c.bottom),
    zoom: camera.zoom,
  };
}
