/** Holds the watched program still, and says how it goes on. The pausing itself happens in the program. */
import { breakHere, keyOf, runHere, sameBreakpoint } from "../model/breakpoints";
import { phaseOf } from "../model/state";
import type { Breakpoint, Control, Pause } from "../protocol";
import type { Session } from "./session.svelte";

type Going = "step" | "over" | "continue" | "stop";

export class Debugging {
  /** Asked for, and not there yet: the program stops at its next op. */
  pausing = $state(false);
  /** Why the last request was refused, in the server's words. */
  notice = $state<string | null>(null);
  /** Whether the panel with the breakpoints is open. */
  open = $state(false);
  /** The last pause that the picture was turned to. */
  private shown = 0;
  /** The picture is to be turned to the pause, whose place may not have come yet. */
  private turning = false;
  /** The selection made because the program stopped there. */
  private chosen: string | null = null;
  /** An answer was given: the next pause is the one that is waited for. */
  private expecting = false;

  constructor(private readonly session: Session) {}

  private get run() {
    return this.session.watch.run;
  }

  /** Whether the program takes requests now. */
  get able(): boolean {
    return this.session.watch.live && this.run?.control === true && this.session.watch.link === "open";
  }

  get pause(): Pause | null {
    return this.session.watch.live ? (this.run?.paused ?? null) : null;
  }

  get breakpoints(): Breakpoint[] {
    return this.session.watch.live ? (this.run?.breakpoints ?? []) : [];
  }

  /** The pause's place in the picture. */
  get key(): string | null {
    return this.pause ? keyOf(this.inPicture(this.pause), this.session.watch.graph) : null;
  }

  /** Of several ranks the picture tells nodes apart by numbers that no program knows. */
  private inPicture(pause: Pause): Pause {
    const numbered = <T extends number | null | undefined>(own: T) =>
      own == null ? own : this.session.watch.numbered(own);
    return {
      ...pause,
      node: numbered(pause.node),
      leaf: numbered(pause.leaf),
      from_nodes: pause.from_nodes?.map((node) => this.session.watch.numbered(node)),
    };
  }

  private send(action: Control["action"], more: Partial<Control> = {}): void {
    this.notice = null;
    if (!this.able) return;
    this.session.watch.control({ type: "control", action, ...more });
  }

  toggle(): void {
    if (this.pause) this.go("continue");
    else if (this.pausing) this.cancel();
    else if (this.able) {
      this.pausing = true;
      this.send("pause");
    }
  }

  /** The request failed, and is no longer waited for. */
  refused(message: string): void {
    this.pausing = this.expecting = false;
    this.notice = message;
  }

  private cancel(): void {
    this.pausing = false;
    this.send("continue");
  }

  go(action: Going): void {
    if (!this.pause) return;
    this.expecting = action !== "stop";
    this.send(action, { number: this.pause.number });
  }

  add(breakpoint: Breakpoint): void {
    this.send("break", { breakpoint });
  }

  remove(breakpoint: Breakpoint): void {
    this.send("unbreak", { breakpoint });
  }

  has(breakpoint: Breakpoint): boolean {
    return this.breakpoints.some((each) => sameBreakpoint(each, breakpoint));
  }

  /** The breakpoint that stands for an op or a leaf; null where there is no way to say it. */
  here(key: string | null): Breakpoint | null {
    const { graph } = this.session.watch;
    const [node, leaf] = key === null ? [null, null] : [graph.nodeOfKey(key), graph.leafOfKey(key)];
    const record = node === null ? null : graph.nodes.get(node);
    if (record) return breakHere(record);
    const name = leaf === null ? null : graph.tensors.get(leaf)?.name;
    return name ? { name } : null;
  }

  breakAt(key: string | null): void {
    const breakpoint = this.here(key);
    if (!breakpoint) return;
    if (this.has(breakpoint)) this.remove(breakpoint);
    else this.add(breakpoint);
  }

  runTo(key: string | null): void {
    const { graph, history } = this.session.watch;
    const node = key === null ? null : graph.nodeOfKey(key);
    const record = node === null ? null : graph.nodes.get(node);
    const now = history.at(history.length);
    const coming = record != null && record.recorded !== false && !now.backward?.finished;
    const own = record && this.session.watch.whose(record.id);
    const waits = coming && this.session.watch.atNewest && ["forward", "ready"].includes(phaseOf(now, record.id));
    const mine = own?.run === this.run?.id;
    const breakpoint = record ? runHere({ ...record, id: own!.number }, waits && mine) : this.here(key);
    if (!breakpoint) return;
    this.expecting = true;
    this.send("run_to", { breakpoint: { ...breakpoint, once: true }, number: this.pause?.number ?? null });
  }

  /** Chooses the pause's place in the picture, as soon as it is there. */
  turn(): void {
    this.turning = true;
    this.found(this.key);
  }

  /** The pause's place has come into the picture, or the pause is over: what was chosen because of it follows. */
  found(key: string | null): void {
    const { session } = this;
    if (key !== null && this.turning) {
      this.turning = false;
      this.chosen = key;
      session.select(key);
    } else if (key === null && this.chosen !== null) {
      if (session.selected === this.chosen) session.select(null);
      this.chosen = null;
    }
  }

  /** The run has changed. True where the picture should turn to where the program is held. */
  update(): boolean {
    const number = this.pause?.number ?? 0;
    if (number === this.shown) return false;
    const fresh = number > 0;
    this.shown = number;
    if (!fresh) return false;
    this.pausing = false;
    const { session } = this;
    const follow = (this.turning = this.expecting || (session.watch.following && session.atEnd));
    this.expecting = false;
    return follow;
  }

  reset(): void {
    this.pausing = this.expecting = this.turning = false;
    this.chosen = null;
    this.notice = null;
    this.shown = 0;
  }
}
