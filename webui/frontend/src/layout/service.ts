/**
 * Sends requests to the layout thread, with a time limit: a problem that dot cannot solve in time gets the plain
 * layout.
 */
import type { Visible } from "../model/visible";
import { compose, type Placement } from "./compose";
import { solveLinear } from "./linear";
import { slim } from "./slim";
import type { LayoutReply, LayoutRequest } from "./worker";

const CAP_MS = 2500;

/**
 * After a layout that was not awaited, the thread rests for this many times as long as it worked, since the program
 * needs the processor.
 */
const RESTS = 5;
const LONGEST_REST_MS = 1000;

export type OnPlaced = (placement: Placement, visible: Visible, final: boolean) => void;

export class LayoutService {
  private worker: Worker | null = null;
  private readonly banned: string[] = [];
  private solving: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last: { id: number; visible: Visible } | null = null;
  private waiting: { visible: Visible; awaited: boolean } | null = null;
  private ids = 0;
  private sentAt = 0;
  private restsUntil = 0;

  /** `text` is the thread's script, if no file can be loaded. The thread starts up while the run is still loading. */
  constructor(
    private readonly placed: OnPlaced,
    private readonly text: string | null = null,
  ) {
    this.thread();
  }

  /**
   * Requests a layout. Only the newest request matters: one is computed at a time, and one waits. `awaited` if nothing
   * can be shown without it.
   */
  request(visible: Visible, awaited = true): void {
    this.waiting = { visible, awaited };
    if (!this.last) this.sendNext();
  }

  /** The waiting picture is needed after all. */
  wake(): void {
    this.restsUntil = 0;
  }

  get busy(): boolean {
    return this.last !== null || this.waiting !== null;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = null;
  }

  private send(visible: Visible): void {
    this.ids += 1;
    this.sentAt = performance.now();
    this.last = { id: this.ids, visible };
    const message: LayoutRequest = { id: this.ids, visible: slim(visible), banned: [...this.banned] };
    this.thread().postMessage(message);
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker =
      this.text === null
        ? new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
        : this.fromText(this.text);
    worker.onmessage = (event: MessageEvent<LayoutReply>) => this.receive(event.data);
    worker.onerror = () => this.doWithout();
    this.worker = worker;
    return worker;
  }

  private fromText(text: string): Worker {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    return new Worker(url);
  }

  /** No thread can be started here: use the plain layout. */
  private doWithout(): void {
    if (!this.last) return;
    const { visible } = this.waiting ?? this.last;
    this.last = null;
    this.waiting = null;
    this.placed(compose(visible, solveLinear), visible, true);
  }

  private receive(reply: LayoutReply): void {
    if (!this.last || reply.id !== this.last.id) return;
    clearTimeout(this.timer);
    if (reply.type === "solving") {
      this.solving = reply.key;
      this.timer = setTimeout(() => this.giveUp(), CAP_MS);
      return;
    }
    const { visible } = this.last;
    if (!reply.final) return this.placed(reply.placement, visible, false);
    this.last = null;
    const now = performance.now();
    this.restsUntil = now + Math.min(RESTS * (now - this.sentAt), LONGEST_REST_MS);
    this.placed(reply.placement, visible, true);
    if (this.waiting && !this.last) this.sendNext();
  }

  private sendNext(): void {
    clearTimeout(this.timer);
    const { visible, awaited } = this.waiting!;
    const rest = awaited ? 0 : this.restsUntil - performance.now();
    if (rest > 0) {
      this.timer = setTimeout(() => this.sendNext(), rest);
      return;
    }
    this.waiting = null;
    this.send(visible);
  }

  private giveUp(): void {
    if (this.solving) this.banned.push(this.solving);
    this.stop();
    if (this.last) this.send((this.waiting ?? this.last).visible);
    this.waiting = null;
  }
}
