/** The records from which a step is drawn: those of one run, or of all ranks of its launch, each in a lane. */
import { companions, merged } from "../model/ranks";
import type { AnyRecord, Run } from "../protocol";
import { origin } from "./origin";

export interface Drawn {
  /** The runs that are lanes, by rank; empty if the run is alone. */
  together: readonly Run[];
  records: readonly AnyRecord[];
}

/**
 * The records of a run whose other ranks may still appear: it becomes a lane at once, so that its keys do not change
 * later.
 */
export function byItself(run: Run, records: readonly AnyRecord[]): readonly AnyRecord[] {
  const { launch, rank, world_size } = run;
  return launch != null && rank != null && (world_size ?? 1) > 1 ? merged([{ run, records }]) : records;
}

/** `own` are the records of the run itself, if they are loaded. */
export async function drawn(run: Run, step: number, own?: readonly AnyRecord[]): Promise<Drawn> {
  const recordsOf = async (each: Run): Promise<readonly AnyRecord[]> =>
    each.id === run.id && own ? own : origin().recordsOfStep(each.id, step);
  const together = run.launch == null ? [] : companions(run, await origin().listRuns());
  if (together.length < 2) return { together: [], records: byItself(run, await recordsOf(run)) };
  const lanes = await Promise.all(together.map(async (each) => ({ run: each, records: await recordsOf(each) })));
  return { together, records: merged(lanes) };
}
