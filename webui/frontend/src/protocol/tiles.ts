/** Parts of a large array, in the form of requests to the running program. */

/** The start of a tile, and its resolution: it has every n-th row and column. */
export interface Spot {
  row: number;
  col: number;
  every: number;
}

/** The rows and columns of a tile. */
export const SIDE = 64;
