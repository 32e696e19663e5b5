/** All sizes of the app: type, space and the parts of the picture, in CSS pixels. */

export const SANS = '"Inter Variable", Inter, "Helvetica Neue", Arial, system-ui, sans-serif';
export const MONO = '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, Menlo, Consolas, monospace';

/** The font sizes of all text outside the picture. */
export const TYPE = {
  tiny: 10,
  small: 11,
  note: 12,
  base: 13,
  body: 14,
  lead: 16,
  title: 18,
  head: 20,
  display: 24,
  hero: 32,
} as const;

/** The sizes of all spaces. */
export const SPACE = [0, 4, 8, 12, 16, 24, 32, 48] as const;

/** The card of a forward node, with room for its backward half from the start. */
export const CARD = {
  width: 248,
  height: 76,
  head: 26,
  radius: 10,
  pad: 12,
  /** Data runs down the left lane, gradients up the right one; measured from the card's left edge. */
  forward: 62,
  backward: 186,
} as const;

/** A card in a picture in which every tensor is one number: its op, value and gradient. */
export const SMALL_CARD = { width: 132, height: 42 } as const;

export const LANES = CARD.backward - CARD.forward;

/** A leaf beside the only op that uses it. */
export const PILL = { width: 172, height: 44, gap: 8, distance: 46 } as const;

/** An opened module. */
export const FRAME = { head: 28, pad: 16, radius: 14, rise: 22 } as const;

/** The instances of a stack on its card: up to `list` as rows, beyond that as cells, `across` side by side. */
export const STRIP = { head: 30, row: 22, pad: 8, list: 16, across: 7, cell: { w: 64, h: 38 } } as const;

/** The distance between the picture and the instance that is open beside it. */
export const LENS = 56;

/** Space above and below each block, so that arrows are visible; ranks and neighbours need little more. */
export const GAP = { block: 8, frame: 8, rank: 14, node: 30, lane: 130 } as const;

/** The same in a picture of small cards. */
export const SMALL_GAP = { block: 3, rank: 8, node: 12 } as const;

/** The sizes of collectives: a bar below the lanes, and the distance of its cables from a lane. */
export const COLLECTIVE = { height: 52, gap: 48, reach: 22 } as const;

/**
 * Below these zooms, small text and heatmaps, names, parts of cards, and lines (shorter than a pixel) are not drawn.
 */
export const DETAIL = { text: 0.42, name: 0.2, box: 0.14, lines: 0.045 } as const;

export const ZOOM = { least: 0.02, most: 3, comfortable: 1 } as const;

/** The smallest zoom at which every word of the picture is at least 11 pixels high. */
export const legibleAt = (small = false): number => (small ? 0.85 : 0.75);

/** This many boxes are always acceptable, even if they are not all in the pane at once. */
const FEW = 60;

/** The size of bars over the pane, and its margins. */
const BARS = { across: 24, down: 76 } as const;
/** If the pane grows by less than this, the picture is kept. */
const STEP = 48;

/** The number of boxes that are readable in a pane at once, and whether there is room beside them. */
export function roomIn(
  width: number,
  height: number,
): { boxes: number; narrow: boolean; room: { w: number; h: number } | null } {
  const zoom = legibleAt();
  const across = Math.max(1, Math.floor(width / zoom / (CARD.width + GAP.node)));
  const down = Math.max(1, Math.floor(height / zoom / (CARD.height + 2 * GAP.block + GAP.rank)));
  const narrow = width < 560;
  const whole = (length: number, bars: number): number => Math.floor((length - bars) / STEP) * (STEP / zoom);
  const room =
    Number.isFinite(width) && height > 0 ? { w: whole(width, BARS.across), h: whole(height, BARS.down) } : null;
  return { boxes: Math.max(narrow ? 16 : FEW, Math.min(2 * FEW, across * down)), narrow, room };
}
