/** Short keys for the items of a step, used by the picture, the tree and the address bar. */

/**
 * Keys by order of appearance: `n3` is the third op, `n3r1` the third of rank 1. Steps of one program get the same
 * keys, so a view applies to other steps; with several ranks, only within each rank.
 */
export class Keys {
  private readonly lanes = new Map<string, number[]>();
  private readonly keys = new Map<number, string>();

  constructor(private readonly letter: string) {}

  /** `lane` is "" or a rank such as `r1`. */
  add(id: number, lane: string): void {
    if (this.keys.has(id)) return;
    let known = this.lanes.get(lane);
    if (!known) this.lanes.set(lane, (known = []));
    this.keys.set(id, `${this.letter}${known.push(id)}${lane}`);
  }

  /** Its number in its lane, from 1; 0 if it is not here. */
  numberOf(id: number): number {
    return Number.parseInt(this.keyOf(id).slice(1), 10);
  }

  keyOf(id: number): string {
    return this.keys.get(id) ?? `${this.letter}0`;
  }

  idOf(key: string): number | null {
    const [, letter, number, lane = ""] = /^([a-z])(\d+)(r\d+)?$/.exec(key) ?? [];
    return letter === this.letter ? (this.lanes.get(lane)?.[Number(number) - 1] ?? null) : null;
  }
}
