/** The list of runs, requested again from time to time. */
import type { Run } from "../protocol";
import { deleteRun } from "../protocol/client";
import { setBusy } from "./idle";
import { origin } from "./origin";

export class RunList {
  runs = $state.raw<Run[] | null>(null);
  unreachable = $state(false);

  private polling: ReturnType<typeof setTimeout> | undefined;
  /** The number of requests. */
  private asked = 0;

  /** `onScreen`: whether the list is shown, rather than a run. */
  constructor(private readonly onScreen: () => boolean) {}

  async refresh(): Promise<void> {
    clearTimeout(this.polling);
    const asked = ++this.asked;
    setBusy("runs", this.runs === null);
    const runs = await origin()
      .listRuns()
      .catch(() => null);
    if (asked !== this.asked) return; // it was asked anew meanwhile, and what came is old
    this.unreachable = runs === null;
    this.runs = runs ?? this.runs;
    setBusy("runs", false);
    this.polling = setTimeout(() => void this.refresh(), this.onScreen() ? SOON_MS : LATER_MS);
  }

  /** Deletes a run for good. Throws the server's message if that fails. */
  async delete(id: string): Promise<void> {
    await deleteRun(id);
    this.runs = this.runs?.filter((run) => run.id !== id) ?? null;
    void this.refresh();
  }
}

const SOON_MS = 1500;
const LATER_MS = 10_000;
