/** Requests to the server, and a live connection that reconnects after a break. */
import {
  type AnyRecord,
  type Control,
  type Distributions,
  type Findings,
  type Gradients,
  known,
  type LiveMessage,
  PROTOCOL_VERSION,
  type Run,
  type Step,
  type Subscribe,
  type Tile,
  type Touched,
  type TouchRequest,
} from "./index";
import { Inbox } from "./inbox";
import { SIDE, type Spot } from "./tiles";
import { t } from "../language/text";

/** The server's refusal, in its own words where it had any. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Addresses are relative to the page, so that the app works under any path prefix. */
export function address(path: string, base: string = document.baseURI): URL {
  return new URL(path, base);
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const headers = { accept: "application/json" };
  const response = await fetch(address(path), signal ? { headers, signal } : { headers });
  if (!response.ok) throw new ServerError(response.status, await reason(response));
  return (await response.json()) as T;
}

export async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { detail?: unknown; message?: unknown };
    return String(body.detail ?? body.message ?? text);
  } catch {
    return text || response.statusText;
  }
}

export const listRuns = (): Promise<Run[]> => get<Run[]>("api/runs");

/** Deletes a run for good. If it is gone already, that is no error. */
export async function deleteRun(id: string): Promise<void> {
  const response = await fetch(address(`api/runs/${encodeURIComponent(id)}`), { method: "DELETE" });
  if (!response.ok && response.status !== 404) throw new ServerError(response.status, await reason(response));
}

async function records(id: string, query: string): Promise<AnyRecord[]> {
  const response = await fetch(address(`api/runs/${encodeURIComponent(id)}/records?${query}`));
  if (!response.ok) throw new ServerError(response.status, await reason(response));
  const lines = (await response.text()).split("\n").filter((line) => line.trim() !== "");
  return known(lines.map((line) => JSON.parse(line) as Record<string, unknown>));
}

export const recordsOfStep = (id: string, step: number): Promise<AnyRecord[]> => records(id, `step=${step}`);
export const listSteps = (id: string): Promise<Step[]> => get<Step[]>(`api/runs/${encodeURIComponent(id)}/steps`);

export const gradients = (id: string): Promise<Gradients> =>
  get<Gradients>(`api/runs/${encodeURIComponent(id)}/gradients`);

/** How the elements of a tensor and of its gradient are distributed, step by step. */
export const distributions = (id: string, tensor: number): Promise<Distributions> =>
  get<Distributions>(`api/runs/${encodeURIComponent(id)}/distributions/${tensor}`);

/** The problems of its program, as far as the server has read. */
export const findings = (id: string): Promise<Findings> => get<Findings>(`api/runs/${encodeURIComponent(id)}/findings`);

/** The wanted part of an array: of its last two axes, at these indices of the axes before. */
interface Part {
  run: string;
  tensor: number;
  of: "value" | "grad";
  lead: readonly number[];
}

/** Part of an array, out of the running program. */
export function tileOf(array: Part, spot: Spot, signal: AbortSignal): Promise<Tile> {
  const query = new URLSearchParams({ of: array.of, rows: String(SIDE), cols: String(SIDE) });
  for (const index of array.lead) query.append("lead", String(index));
  for (const [name, number] of Object.entries(spot)) query.set(name, String(number));
  return get<Tile>(`api/runs/${encodeURIComponent(array.run)}/tensors/${array.tensor}/tile?${query}`, signal);
}

/** Computes a step with one element changed; the run is unchanged. */
export async function touch(id: string, asked: TouchRequest): Promise<Touched> {
  const response = await fetch(address(`api/runs/${encodeURIComponent(id)}/touch`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asked),
  });
  if (!response.ok) throw new ServerError(response.status, await reason(response));
  return (await response.json()) as Touched;
}

/** The run, or one step of it, as one file that opens without a server. */
export async function offlinePage(id: string, step: number | null = null): Promise<Blob> {
  const query = step === null ? "" : `?step=${step}`;
  const response = await fetch(address(`api/runs/${encodeURIComponent(id)}/page${query}`));
  if (!response.ok) throw new ServerError(response.status, await reason(response));
  return response.blob();
}

/** The last record of a run: how it ended. */
export async function lastRecord(run: Run): Promise<AnyRecord | null> {
  const found = await records(run.id, `after=${Math.max(0, (run.records ?? 0) - 1)}`);
  return found.at(-1) ?? null;
}

export type Link = "connecting" | "open" | "waiting" | "refused";

export interface LiveHandlers {
  message(message: LiveMessage): void;
  /** Messages have arrived that are handled soon; or none have any more. */
  waiting(waiting: boolean): void;
  link(link: Link, why?: string): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

export interface Live {
  stop(): void;
  /** Asks for the whole after an outline. */
  more(): void;
  /** Sends a request to the program; lost without a connection. */
  control(control: Control): void;
}

/** The advice if the server has another token than this page; null if that is not the problem. */
async function whyLocked(): Promise<string | null> {
  const response = await fetch(address("api/runs")).catch(() => null);
  if (response?.status !== 401) return null;
  return t(
    "The explorer was started again and has a new key. Open the address that it printed; minigrad serve prints it again.",
  );
}

/**
 * Watches one run: one step of it, or always the newest (`step` null). `outline` asks for the outline of a large step
 * first.
 */
export function watchRun(id: string, step: number | null, outline: boolean, handlers: LiveHandlers): Live {
  let socket: WebSocket | null = null;
  let wait = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const inbox = new Inbox<LiveMessage>(
    (message) => handlers.message(message),
    (waiting) => handlers.waiting(waiting),
  );

  const connect = (): void => {
    handlers.link("connecting");
    const url = address(`api/runs/${encodeURIComponent(id)}/live`);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    // The address says what to watch: the server reads it while this page is still being built.
    url.searchParams.set("protocol", String(PROTOCOL_VERSION));
    if (step !== null) url.searchParams.set("step", String(step));
    if (outline) url.searchParams.set("outline", "true");
    socket = new WebSocket(url);
    socket.onopen = () => handlers.link("open");
    socket.onmessage = (event: MessageEvent<string>) => {
      wait = FIRST_WAIT_MS;
      outline = false;
      const message = JSON.parse(event.data) as LiveMessage;
      // An unknown run may be about to begin, so its page asks again.
      if (message.type === "problem" && message.code !== "unknown_run") {
        stopped = true;
        handlers.link("refused", message.message);
      }
      inbox.add(message);
    };
    socket.onclose = () => {
      if (stopped) return;
      void whyLocked().then((why) => {
        if (why === null || stopped) return;
        stopped = true;
        clearTimeout(timer);
        handlers.link("refused", why);
      });
      handlers.link("waiting");
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    };
  };

  const send = (message: Subscribe | Control): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...message, protocol: PROTOCOL_VERSION }));
  };

  connect();
  return {
    stop() {
      stopped = true;
      inbox.clear();
      clearTimeout(timer);
      socket?.close();
    },
    more: () => send({ type: "subscribe", step }),
    control: send,
  };
}
