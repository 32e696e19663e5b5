/** The number of boxes that can be read: the layout tells, and the picture is folded further until it can. */
import type { Placement } from "../layout/compose";
import { union } from "../layout/geometry";
import { lensAround } from "../model/module";
import { SMALL } from "../model/modules";
import type { Visible } from "../model/visible";
import { legibleAt } from "../theme/scale";
import { excess, type Pane } from "./shot";

/** A picture of so few boxes is not folded further. */
export const LEAST_BOXES = 12;

/** A picture that rushes by may be so many times taller than the pane: the camera follows it. */
const TALL = 1.5;

/** Fewer boxes may not help as much as they should, and too few would hide more than they must. */
const [MARGIN, MOST_AT_ONCE] = [1.2, 2];

export interface Crowd {
  /** The largest number of boxes that was asked for. */
  boxes: number;
  /** Ops of the step. */
  ops: number;
  /** A program runs and is followed: its whole picture is to be seen, and not only each part of it. */
  rushing: boolean;
}

/** The number of boxes to ask for instead; null where the picture can be read as it is, or has too few to fold. */
export function fewerBoxes(placement: Placement, visible: Visible, pane: Pane, crowd: Crowd): number | null {
  const { boxes, ops, rushing } = crowd;
  if (!rushing && ops > SMALL) return null;
  if (visible.items.size <= LEAST_BOXES || boxes <= LEAST_BOXES) return null;
  const times = rushing ? tooLarge(placement, visible, pane) : tooWide(placement, visible, pane);
  if (times <= 1) return null;
  const now = rushing ? Math.min(boxes, ops) : boxes;
  return Math.max(LEAST_BOXES, Math.floor(now / Math.min(MOST_AT_ONCE, MARGIN * times)));
}

function tooLarge({ bounds }: Placement, { small }: Visible, pane: Pane): number {
  const { across, down } = excess(bounds, pane, legibleAt(small));
  return Math.max(across, down / TALL);
}

/** The main column and each open stack are looked at one at a time. */
function tooWide({ boxes }: Placement, { items, modules, small }: Visible, pane: Pane): number {
  const main = [...items.values()].filter(({ frame }) => !lensAround(modules.get(frame)));
  const lenses = [...modules.values()].filter(({ lens }) => lens);
  const rectsOf = (parts: readonly { key: string }[]) => parts.flatMap(({ key }) => boxes.get(key) ?? []);
  return Math.max(...[union(rectsOf(main)), ...rectsOf(lenses)].map((r) => excess(r, pane, legibleAt(small)).across));
}
