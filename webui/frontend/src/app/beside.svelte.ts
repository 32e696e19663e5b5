/** Another run whose curve is drawn over that of this run. */
import type { Step } from "../protocol";
import { setBusy } from "./idle";
import { origin } from "./origin";

export class Beside {
  run = $state<string | null>(null);
  rows = $state.raw<readonly Step[]>([]);
  problem = $state("");

  /** A `run` of null removes the other run. */
  async choose(run: string | null): Promise<void> {
    this.run = run;
    this.rows = [];
    this.problem = "";
    if (run === null) return;
    setBusy("beside", true);
    try {
      const rows = await origin().listSteps(run);
      if (run === this.run) this.rows = rows;
    } catch (error) {
      if (run === this.run) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      setBusy("beside", false);
    }
  }
}
