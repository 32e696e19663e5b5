/** The class's requests to the server, and its live addresses. */
import { address, ServerError } from "../protocol/client";
import type { Door, Feedback, Hint, Joined, Mark, Projected, Pupil, Rule } from "./generated";

async function ask<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
  const response = await fetch(address(path), {
    method,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new ServerError(response.status, said(text) || response.statusText);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

function said(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? text);
  } catch {
    return text;
  }
}

export const atTheDoor = (): Promise<Door> => ask("GET", "api/class/door");
export const join = (name: string, code: string): Promise<Joined> => ask("POST", "api/class/join", { name, code });

export const openPupil = (id: number): Promise<Pupil> => ask("GET", `api/class/pupils/${id}`);
export const mark = (id: number, given: Mark): Promise<void> => ask("POST", `api/class/pupils/${id}`, given);
export const tell = (id: number, what: "return" | "give-back" | "heard"): Promise<void> =>
  ask("POST", `api/class/pupils/${id}/${what}`);
export const sendHint = (hint: Hint): Promise<void> => ask("POST", "api/class/hint", hint);
export const setRule = (rule: Rule): Promise<void> => ask("POST", "api/class/rule", rule);
export const project = (shown: Projected | null): Promise<void> => ask("POST", "api/class/project", shown);

/** Requests of the pupil whose page this is. */
export const askForHelp = (text: string): Promise<void> => ask("POST", "class/ask", { text });
export const handIn = (): Promise<void> => ask("POST", "class/hand-in");
export const loadFeedback = (): Promise<Feedback> => ask("GET", "class/feedback");

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** Follows a state over a live connection, and reconnects after a break. Returns a function that ends it. */
export function follow<T>(path: string, told: (now: T) => void, line: (open: boolean) => void): () => void {
  let socket: WebSocket;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let ended = false;
  function connect(): void {
    const url = address(path);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(url);
    socket.onopen = () => {
      wait = FIRST_WAIT_MS;
      line(true);
    };
    socket.onmessage = (event: MessageEvent<string>) => told(JSON.parse(event.data) as T);
    socket.onclose = () => {
      if (ended) return;
      line(false);
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    };
  }
  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    socket.close();
  };
}
