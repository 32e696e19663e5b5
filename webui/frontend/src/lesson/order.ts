/** Which cells must run, and which results are stale. Pure: no page, no server. */

/** A cell's state in the Python that runs now. `at` counts runs of cells; 0: not run in this Python. */
export interface Standing {
  key: string;
  code: string;
  ran: string | null;
  at: number;
}

/** Whether the cell's text is what was run. */
export const fresh = (cell: Standing): boolean => cell.at > 0 && cell.ran === cell.code;

/** Stale results: a cell above was run again or edited after they were computed. */
export function staleKeys(cells: readonly Standing[]): Set<string> {
  const stale = new Set<string>();
  let newest = 0;
  let edited = false;
  for (const cell of cells) {
    if (cell.at > 0 && (edited || newest > cell.at || cell.ran !== cell.code)) stale.add(cell.key);
    if (cell.at > 0 && cell.ran !== cell.code) edited = true;
    newest = Math.max(newest, cell.at);
  }
  return stale;
}

/**
 * The cells to run when the user runs one: also those above it that this Python has not run, or has run with an older
 * text. A failed cell that was not changed is not run again.
 */
export function wanted(cells: readonly Standing[], key: string): string[] {
  const last = cells.findIndex((cell) => cell.key === key);
  return cells
    .slice(0, last + 1)
    .filter((cell, i) => i === last || !fresh(cell))
    .map((cell) => cell.key);
}
