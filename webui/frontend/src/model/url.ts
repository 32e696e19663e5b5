/** The address bar holds the whole view, so that a link is a prepared state. */
import { isMetric, type Metric } from "./overlay";
import type { Element } from "./values";

export type ThemeName = "light" | "dark";

/** The camera: the point in the middle, in world units, and the zoom. */
export interface Aim {
  x: number;
  y: number;
  zoom: number;
}

export interface ViewState {
  run: string | null;
  /** null follows the newest step. */
  step: number | null;
  /** The number of the last record shown; null for the end. */
  at: number | null;
  selected: string | null;
  element: Element | null;
  /** Modules that are folded or opened against the default. */
  folds: ReadonlyMap<string, boolean>;
  /** null: where the camera starts. */
  aim: Aim | null;
  query: string;
  tree: boolean;
  wide: boolean;
  way: boolean;
  /** The gradients' norms in the place of the loss. */
  norms: boolean;
  /** The metric that colours the picture. */
  overlay: Metric | null;
  /** A stop of a tour, and the step of the tour: `largest,3`. */
  tour: string | null;
  theme: ThemeName | null;
}

export const EMPTY_VIEW: ViewState = {
  run: null,
  step: null,
  at: null,
  selected: null,
  element: null,
  folds: new Map(),
  aim: null,
  query: "",
  tree: false,
  wide: false,
  way: false,
  norms: false,
  overlay: null,
  tour: null,
  theme: null,
};

export function writeHash(view: ViewState): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | number | null): void => {
    if (value !== null && value !== "") params.set(name, String(value));
  };
  put("run", view.run);
  put("step", view.step);
  put("at", view.at);
  put("sel", view.selected);
  put("el", view.element && `${view.element.row},${view.element.col}`);
  put("open", keys(view.folds, false));
  put("fold", keys(view.folds, true));
  put("cam", view.aim && [round(view.aim.x, 2), round(view.aim.y, 2), round(view.aim.zoom, 5)].join(","));
  put("q", view.query);
  put("tree", view.tree ? 1 : null);
  put("wide", view.wide ? 1 : null);
  put("way", view.way ? 1 : null);
  put("curves", view.norms ? "norms" : null);
  put("by", view.overlay);
  put("tour", view.tour);
  put("theme", view.theme);
  const text = params.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%40", "@");
  return text === "" ? "" : `#${text}`;
}

/** Short, but more precise than visible. A link opened and written again is unchanged. */
const round = (x: number, digits: number): number => Number(x.toFixed(digits));

const keys = (folds: ReadonlyMap<string, boolean>, folded: boolean): string =>
  [...folds]
    .filter(([, f]) => f === folded)
    .map(([key]) => key.slice(2).replaceAll("%", "%25").replaceAll("+", "%2B"))
    .join("+");

export function readHash(hash: string): ViewState {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const theme = params.get("theme");
  const by = params.get("by");
  return {
    run: params.get("run"),
    step: whole(params.get("step")),
    at: whole(params.get("at")),
    selected: params.get("sel"),
    element: readElement(params.get("el")),
    folds: new Map([...readFolds(params.get("open"), false), ...readFolds(params.get("fold"), true)]),
    aim: readAim(params.get("cam")),
    query: params.get("q") ?? "",
    tree: params.get("tree") === "1",
    wide: params.get("wide") === "1",
    way: params.get("way") === "1",
    norms: params.get("curves") === "norms",
    overlay: isMetric(by) ? by : null,
    tour: /^[a-z]+,\d+$/.test(params.get("tour") ?? "") ? params.get("tour") : null,
    theme: theme === "light" || theme === "dark" ? theme : null,
  };
}

function whole(text: string | null): number | null {
  const n = text === null ? NaN : Number(text);
  return Number.isInteger(n) && n >= 0 ? n : null;
}

function readElement(text: string | null): Element | null {
  const [row, col] = (text ?? "").split(",").map(whole);
  return row != null && col != null ? { row, col } : null;
}

function readAim(text: string | null): Aim | null {
  const parts = (text ?? "").split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const [x, y, zoom] = parts as [number, number, number];
  return parts.length === 3 && parts.every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : null;
}

const readFolds = (text: string | null, folded: boolean): [string, boolean][] =>
  (text ?? "")
    .split("+")
    .filter((k) => k !== "")
    .map((k) => [`m/${decodeURIComponent(k)}`, folded]);
