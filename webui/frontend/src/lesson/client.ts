/** The lessons' requests to the server: plain ones for stored data, a live connection for running cells. */
import { address, ServerError } from "../protocol/client";
import type {
  Before,
  Checked,
  CheckExercise,
  Course,
  Died,
  Draft,
  Exercise,
  Finished,
  Interrupt,
  Lesson,
  Output,
  Question,
  Ready,
  Refused,
  Restart,
  RunCells,
  Started,
} from "./generated";
import { language } from "../language/text";

export type Asked = RunCells | CheckExercise | Interrupt | Restart;
export type Told = Ready | Before | Started | Output | Finished | Died | Checked | Refused;

/** A request with fewer characters arrives even if the page is closed or reloaded; browsers allow 64 KiB. */
const KEPT_ALIVE = 16_000;

async function ask<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = { accept: "application/json", ...(text === null ? {} : { "content-type": "application/json" }) };
  const response = await fetch(address(path), {
    method,
    headers,
    body: text,
    keepalive: text !== null && text.length < KEPT_ALIVE,
  });
  const told = await response.text();
  if (!response.ok) throw new ServerError(response.status, said(told) || response.statusText);
  return JSON.parse(told) as T;
}

function said(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? text);
  } catch {
    return text;
  }
}

const of = (slug: string, rest = ""): string => `api/lessons/${encodeURIComponent(slug)}${rest}`;
/** Texts come in the chosen language, where translated. */
const spoken = (path: string): string => `${path}?language=${language()}`;
const part = (name: string): string => encodeURIComponent(name);

export const loadCourse = (): Promise<Course> => ask("GET", spoken("api/lessons"));
export const loadLesson = (slug: string): Promise<Lesson> => ask("GET", spoken(of(slug)));
export const saveDraft = (slug: string, draft: Draft): Promise<Lesson["card"]> =>
  ask("POST", of(slug, "/draft"), draft);
export const takeHint = (slug: string, id: string): Promise<Exercise> =>
  ask("POST", spoken(of(slug, `/hints/${part(id)}`)));
export const makeGuess = (slug: string, id: string, guess: number | null): Promise<Question> =>
  ask("POST", spoken(of(slug, `/guesses/${part(id)}`)), { guess });
export const resetCell = (slug: string, key: string): Promise<Lesson> =>
  ask("POST", spoken(of(slug, `/reset/${part(key)}`)));
export const resetLesson = (slug: string): Promise<Lesson> => ask("POST", spoken(of(slug, "/reset")));

/** `taken`: another window has this lesson now. */
export type Line = "connecting" | "open" | "waiting" | "taken";

/** The code of a connection that was closed because another page took the lesson over. */
const TAKEN = 4001;

export interface Handlers {
  told(message: Told): void;
  line(line: Line): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** The connection to the Python of one open lesson; it finds its way back after a break. */
export class LessonConnection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly slug: string,
    private readonly handlers: Handlers,
  ) {
    this.connect();
  }

  ask(message: Asked): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  reconnect(): void {
    clearTimeout(this.timer);
    this.connect();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    this.handlers.line("connecting");
    const url = address(of(this.slug, "/bench"));
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.socket = new WebSocket(url));
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.handlers.line("open");
    };
    socket.onmessage = (event: MessageEvent<string>) => this.handlers.told(JSON.parse(event.data) as Told);
    socket.onclose = ({ code }) => {
      if (this.closed || socket !== this.socket) return;
      if (code === TAKEN) return this.handlers.line("taken");
      this.handlers.line("waiting");
      this.timer = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }
}
