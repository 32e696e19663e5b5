/** The layout thread: takes a visible graph and answers with places; first with plain ones if dot will take a while. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { compose, type Placement } from "./compose";
import { solveLinear } from "./linear";
import type { Problem } from "./problem";
import type { Slim } from "./slim";
import { CachingSolver } from "./solver";

export interface LayoutRequest {
  id: number;
  visible: Slim;
  banned: string[];
}

export type LayoutReply =
  { type: "solving"; id: number; key: string } | { type: "placed"; id: number; placement: Placement; final: boolean };

const INTERIM_ABOVE = 60;

const post = (reply: LayoutReply): void => self.postMessage(reply);

let current = 0;
const solver = Graphviz.load().then((graphviz) => {
  const made = new CachingSolver(graphviz, (key) => post({ type: "solving", id: current, key }));
  made.warm();
  return made;
});

/** Send an error to the caller, who would otherwise wait for ever. */
self.onmessage = (event: MessageEvent<LayoutRequest>) =>
  void answer(event.data).catch((error: unknown) => setTimeout(() => self.reportError(error)));

async function answer({ id, visible, banned }: LayoutRequest): Promise<void> {
  const ready = await solver;
  current = id;
  for (const key of banned) ready.ban(key);
  let slow = false;
  const interim = compose(visible, (problem: Problem) => {
    if (ready.knows(problem)) return ready.solve(problem);
    slow ||= problem.blocks.length > INTERIM_ABOVE;
    return solveLinear(problem);
  });
  if (slow) post({ type: "placed", id, placement: interim, final: false });
  post({ type: "placed", id, placement: compose(visible, ready.solve), final: true });
}
