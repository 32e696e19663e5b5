/**
 * All colours of the app. Each has one meaning: blue value, orange gradient, violet saved for backward, green an
 * accumulated leaf, red an error, grey released or yet to come. `ink` colours are for text on a panel (4.5:1).
 */
import type { Kind } from "../model/events";
import type { MemoryKind } from "../model/memory";
import type { ThemeName } from "../model/url";

export type { ThemeName };

const light = {
  bg: "#f6f6f3",
  panel: "#ffffff",
  card: "#ffffff",
  ghost: "#fafaf8",
  frame: "#ffffff8c",
  ink: "#1b1d21",
  dim: "#5f656e",
  faint: "#9a9fa8",
  line: "#e2e2dd",
  strong: "#c9c9c2",
  value: "#1f6fb5",
  gradient: "#d9680f",
  saved: "#8a5bb5",
  leaf: "#1a8f6a",
  error: "#c62f3f",
  valueInk: "#1a65a8",
  gradientInk: "#ad4f06",
  savedInk: "#7747a5",
  leafInk: "#117254",
  errorInk: "#b3202f",
  highlight: "#fff3e3",
  shadow: "#1b1d2114",
  grid: "#dcdcd6",
  negative: "#1c62a8",
  below: "#8dbbe3",
  zero: "#f7f6f3",
  above: "#f7b888",
  positive: "#d9650a",
};

export type Palette = typeof light;

const dark: Palette = {
  bg: "#121418",
  panel: "#191c21",
  card: "#20242a",
  ghost: "#16191d",
  frame: "#ffffff07",
  ink: "#e9eaec",
  dim: "#9aa1ab",
  faint: "#6b727d",
  line: "#2b2f37",
  strong: "#434954",
  value: "#5aa9ea",
  gradient: "#f0944a",
  saved: "#b48ede",
  leaf: "#45c49a",
  error: "#f0707c",
  valueInk: "#7abbf0",
  gradientInk: "#f5a668",
  savedInk: "#c4a5e6",
  leafInk: "#5cd0aa",
  errorInk: "#f58c96",
  highlight: "#33291d",
  shadow: "#00000059",
  grid: "#24282e",
  negative: "#4a9ae6",
  below: "#28527c",
  zero: "#1e2227",
  above: "#7f4a20",
  positive: "#f28a36",
};

export const PALETTES: Record<ThemeName, Palette> = { light, dark };

/** Sets the palette as CSS variables: --ink, --value-ink and so on. */
export function applyPalette(theme: ThemeName, root: HTMLElement): void {
  root.dataset.theme = theme;
  root.style.colorScheme = theme;
  for (const [name, colour] of Object.entries(PALETTES[theme])) {
    root.style.setProperty(`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`, colour);
  }
}

export const KIND_COLOUR: Record<Kind, keyof Palette> = {
  value: "value",
  gradient: "gradient",
  saved: "saved",
  released: "faint",
  leaf: "leaf",
  error: "error",
  neutral: "dim",
};

const letDown = (name: "value" | "gradient" | "saved" | "dim", share: number) => (palette: Palette) =>
  `color-mix(in srgb, ${palette[name]} ${share}%, ${palette.card})`;

/** Three hues and a grey, each hue in a full and a light shade, distinguishable by all users. All are opaque. */
export const MEMORY_COLOUR: Record<MemoryKind, (palette: Palette) => string> = {
  parameters: letDown("value", 75),
  optimizer: letDown("value", 35),
  gradients: letDown("gradient", 75),
  inputs: letDown("dim", 45),
  saved: letDown("saved", 75),
  activations: letDown("saved", 35),
  temporary: letDown("gradient", 35),
};

type Rgb = [number, number, number];

const parse = (hex: string): Rgb => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as Rgb;

/** Mixes two colours in linear light, where the middle also looks like the middle. */
function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return a.map((x, i) => {
    const [p, q] = [(x / 255) ** 2.2, (b[i]! / 255) ** 2.2];
    return Math.round(255 * (p + (q - p) * t) ** (1 / 2.2));
  }) as Rgb;
}

const STEPS = 128;
const ramps = new Map<Palette, Rgb[]>();

/**
 * 2·STEPS + 1 colours from the most negative over zero to the most positive, one hue for each sign, distinguishable by
 * all users.
 */
function ramp(palette: Palette): Rgb[] {
  let colours = ramps.get(palette);
  if (!colours) {
    const points = [palette.negative, palette.below, palette.zero, palette.above, palette.positive].map(parse);
    colours = Array.from({ length: 2 * STEPS + 1 }, (_, i) => {
      const place = (i / (2 * STEPS)) * (points.length - 1);
      const from = Math.min(points.length - 2, Math.floor(place));
      return mix(points[from]!, points[from + 1]!, place - from);
    });
    ramps.set(palette, colours);
  }
  return colours;
}

/** The colour of a number if full colour means ±`reach`. For NaN and infinities see `broken`. */
export function heat(x: number, reach: number, palette: Palette): Rgb {
  const t = reach > 0 ? Math.max(-1, Math.min(1, x / reach)) : 0;
  return ramp(palette)[Math.round((t + 1) * STEPS)]!;
}

const amounts = new Map<string, Rgb[]>();

/** A colour of one hue, from almost the card's colour at 0 to the deepest at 1. */
export function amountColour(share: number, hue: keyof Palette, palette: Palette): Rgb {
  const name = `${palette.card} ${hue}`;
  let colours = amounts.get(name);
  if (!colours) {
    const [card, full, ink] = [palette.card, palette[hue], palette.ink].map(parse) as [Rgb, Rgb, Rgb];
    const [pale, deep] = [blend(card, full, 0.1), blend(full, ink, 0.55)];
    colours = Array.from({ length: STEPS + 1 }, (_, i) => {
      const t = i / STEPS;
      return t < FULL_AT ? blend(pale, full, t / FULL_AT) : blend(full, deep, (t - FULL_AT) / (1 - FULL_AT));
    });
    amounts.set(name, colours);
  }
  return colours[Math.round(Math.max(0, Math.min(1, share)) * STEPS)]!;
}

const blend = (a: Rgb, b: Rgb, t: number): Rgb => a.map((x, i) => Math.round(x + (b[i]! - x) * t)) as Rgb;

/** The position on the ramp that has the hue itself. */
const FULL_AT = 0.66;

export const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

export const errorRgb = (palette: Palette): Rgb => parse(palette.error);

/** Black or white, whichever is readable on a colour: one of them always has a contrast of at least 4.5 to 1. */
export function inkOn([r, g, b]: Rgb): string {
  const light = [r, g, b].map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * light[0]! + 0.7152 * light[1]! + 0.0722 * light[2]!;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** The colour with another opacity, as a hex string. */
export const faded = (hex: string, alpha: number): string =>
  hex.slice(0, 7) +
  Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0");
