/** Fetches tiles of one array from the running program: those in sight, a few at a time, and keeps a few. */
import { keyOf, type Numbers, numbersOf, Shelf, type Spot } from "../model/plane";
import { tileOf } from "../protocol/client";
import { setBusy } from "./idle";

const AT_ONCE = 4;
/** Enough for two full windows; with 64 by 64 elements each about 2 MB. */
const MOST = 96;
/** The least time until a tile of a running program is fetched again. */
const AGAIN_MS = 400;

export interface Wanted {
  run: string;
  tensor: number;
  of: "value" | "grad";
  lead: readonly number[];
}

interface Kept {
  numbers: Numbers;
  generation: number;
}

export class Closer {
  /** Why there is nothing to see, in the program's or the server's words. */
  problem = $state<string | null>(null);
  /** The version of the array when it was last read. */
  version = $state<number | null>(null);
  step = $state<number | null>(null);
  /** Increases with every tile that arrives, because the shelf itself is no signal. */
  private arrivals = $state(0);

  private readonly shelf = new Shelf<Kept>(MOST);
  private wanted: Spot[] = [];
  private readonly underWay = new Map<string, AbortController>();
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly what: Wanted) {}

  /** The tile at this spot, or null if it has not arrived. An old one stays until its successor arrives. */
  tile(spot: Spot): Numbers | null {
    void this.arrivals;
    return this.shelf.get(keyOf(spot))?.numbers ?? null;
  }

  /** Sets the tiles in sight: they are fetched, and others no longer. */
  want(spots: Spot[]): void {
    this.wanted = spots;
    const keys = new Set(spots.map(keyOf));
    for (const [key, request] of this.underWay) if (!keys.has(key)) request.abort();
    this.go();
  }

  /** Fetches the tiles in sight again after a while, because the program has gone on. */
  renew(): void {
    if (this.version === null && this.problem === null) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.generation += 1;
      this.problem = null;
      this.go();
    }, AGAIN_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.wanted = [];
    for (const request of this.underWay.values()) request.abort();
    this.shelf.clear();
  }

  private go(): void {
    for (const spot of this.problem === null ? this.wanted : []) {
      if (this.underWay.size >= AT_ONCE) break;
      const key = keyOf(spot);
      if (this.underWay.has(key) || this.shelf.get(key)?.generation === this.generation) continue;
      void this.fetch(spot, key);
    }
    setBusy("tiles", this.underWay.size > 0);
  }

  private async fetch(spot: Spot, key: string): Promise<void> {
    const request = new AbortController();
    const { generation } = this;
    this.underWay.set(key, request);
    try {
      const tile = await tileOf(this.what, spot, request.signal);
      if (tile.problem) this.problem = tile.problem;
      else {
        this.shelf.put(key, { numbers: numbersOf(tile), generation });
        this.version = tile.version ?? 0;
        this.step = tile.step ?? 0;
      }
    } catch (error) {
      if (!request.signal.aborted) this.problem = error instanceof Error ? error.message : String(error);
    }
    this.underWay.delete(key);
    this.arrivals += 1;
    this.go();
  }
}
