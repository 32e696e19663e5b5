/** Pauses the watched program and continues it. The pausing itself happens in the program. */
import { breakHere, keyOf, runHere, sameBreakpoint } from "../model/breakpoints";
import { phaseOf } from "../model/state";
import type { Breakpoint, Control, Pause } from "../protocol";
import type { Session } from "./session.svelte";

type Going = "step" | "over" | "continue" | "stop";

export class Debugging {
  /** A pause was requested but has not happened yet: the program stops at its next op. */
  pausing = $state(false);
  /** Why the last request was refused, in the server's words. */
  notice = $state<string | null>(null);
  /** Whether the panel with the breakpoints is open. */
  open = $state(false);
  /** The last pause at which the picture was shown. */
  private shown = 0;
  /** The picture must show the pause once its place has arrived. */
  private turning = false;
  /** The selection that was made because the program paused there. */
  private chosen: string | null = null;
  /** An answer was sent, so the next pause is expected. */
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

  /** With several ranks the picture has its own numbers of nodes, which no program knows. */
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

  /** Handles a refused request, which is no longer waited for. */
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

  /** The breakpoint for an op or a leaf; null if there is no condition for it. */
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

  /** Selects the pause's place when it arrives, and clears that selection when the pause is over. */
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

  /** Handles a changed run. Returns true if the picture should show where the program is paused. */
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
