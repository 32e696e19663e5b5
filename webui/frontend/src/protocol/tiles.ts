/** Parts of a large array, as the running program is asked for them. */

/** The start of a tile, and that it holds every n-th row and column. */
export interface Spot {
  row: number;
  col: number;
  every: number;
}

/** Rows and columns of a tile. */
export const SIDE = 64;
