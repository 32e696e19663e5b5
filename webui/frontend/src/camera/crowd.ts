/** The number of boxes that can be read: the layout tells, and the picture is folded further until it can. */
import type { Placement } from "../layout/compose";
import { union } from "../layout/geometry";
import { lensAround } from "../model/module";
import { SMALL } from "../model/modules";
import type { Visible } from "../model/visible";
import { legibleAt } from "../theme/scale";
import { excess, type Pane } from "./shot";

/** A picture with at most this many boxes is not folded further, */
export const LEAST_BOXES = 12;

/** but further where the program runs: a camera that jumps from box to box shows less than a folded box. */
export const LEAST_RUSHING = 6;

/**
 * The number of boxes is reduced with a margin, but at most by a factor of two at once, since too few would hide too
 * much.
 */
const [MARGIN, MOST_AT_ONCE] = [1.2, 2];

export interface Crowd {
  /** The largest number of boxes requested. */
  boxes: number;
  /** The number of ops in the step. */
  ops: number;
  /** The program runs and is followed, so its whole picture must be readable, not only each part. */
  rushing: boolean;
}

/** The number of boxes to request instead; null if the picture can be read as it is, or has too few to fold. */
export function fewerBoxes(placement: Placement, visible: Visible, pane: Pane, crowd: Crowd): number | null {
  const { boxes, ops, rushing } = crowd;
  if (!rushing && ops > SMALL) return null;
  const least = rushing ? LEAST_RUSHING : LEAST_BOXES;
  if (visible.items.size <= least || boxes <= least) return null;
  const times = rushing ? tooLarge(placement, visible, pane) : tooWide(placement, visible, pane);
  if (times <= 1) return null;
  const now = rushing ? Math.min(boxes, ops) : boxes;
  return Math.max(least, Math.floor(now / Math.min(MOST_AT_ONCE, MARGIN * times)));
}

function tooLarge({ bounds }: Placement, { small }: Visible, pane: Pane): number {
  const { across, down } = excess(bounds, pane, legibleAt(small));
  return Math.max(across, down);
}

/** The main column and each open stack are viewed one at a time. */
function tooWide({ boxes }: Placement, { items, modules, small }: Visible, pane: Pane): number {
  const main = [...items.values()].filter(({ frame }) => !lensAround(modules.get(frame)));
  const lenses = [...modules.values()].filter(({ lens }) => lens);
  const rectsOf = (parts: readonly { key: string }[]) => parts.flatMap(({ key }) => boxes.get(key) ?? []);
  return Math.max(...[union(rectsOf(main)), ...rectsOf(lenses)].map((r) => excess(r, pane, legibleAt(small)).across));
}
