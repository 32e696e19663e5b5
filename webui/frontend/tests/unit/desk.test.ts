/** What a learner writes, on its way to a slow server. */
import { beforeEach, expect, test, vi } from "vitest";
import { Desk } from "../../src/lesson/desk.svelte";
import type { Card, Code, Draft, Lesson } from "../../src/lesson/generated";
import { ServerError } from "../../src/protocol/client";

const card: Card = { slug: "s", title: "", goal: "", minutes: 1, number: 1, exercises: 0, passed: 0, fast: false };

/** A server that keeps the texts of two cells, by the server's own rules, and answers when it is told to. */
class SlowServer {
  readonly texts: Record<string, string> = { a: "a", b: "b" };
  private readonly held: (() => void)[] = [];

  lesson = (): Lesson => ({
    card,
    cells: Object.entries(this.texts).map(([key, code]): Code => ({
      kind: "code",
      key,
      code,
      name: key,
      original: key,
    })),
  });

  async draft({ key, code, base }: Draft): Promise<Card> {
    await this.told();
    const now = this.texts[key]!;
    if (base != null && now !== base && now !== code) throw new ServerError(409, "changed in another window");
    this.texts[key] = code;
    return card;
  }

  /** Answers all that is on its way, and what follows. */
  async answerAll(): Promise<void> {
    for (let waited = 0; waited < 20; waited++) {
      this.held.shift()?.();
      await Promise.resolve();
      await new Promise((go) => setImmediate(go));
    }
  }

  async reset(key: string): Promise<Lesson> {
    this.texts[key] = key;
    const lesson = this.lesson();
    await this.told();
    return lesson;
  }

  private told = (): Promise<void> => new Promise((go) => this.held.push(go));
}

let server: SlowServer;
vi.mock("../../src/app/idle", () => ({ setBusy: () => undefined }));
vi.mock("../../src/lesson/client", () => ({
  LessonConnection: class {
    close = (): void => {};
  },
  loadCourse: () => Promise.resolve({ lessons: [], folder: "", language: "en", title: "" }),
  loadLesson: () => Promise.resolve(server.lesson()),
  saveDraft: (_: string, draft: Draft) => server.draft(draft),
  resetCell: (_: string, key: string) => server.reset(key),
}));

const stored = new Map<string, string>();

beforeEach(() => {
  server = new SlowServer();
  stored.clear();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
});

async function opened(): Promise<Desk> {
  const desk = new Desk("s");
  await desk.open();
  return desk;
}

test("a text on its way does not come back after a reset", async () => {
  const desk = await opened();
  desk.write("a", "written");
  void desk.drafts.save();
  await Promise.resolve();
  const reset = desk.resetCell("a");
  await server.answerAll();
  await reset;
  expect([desk.codeOf("a"), server.texts.a]).toEqual(["a", "a"]);
});

test("a reset leaves what is being written in another cell", async () => {
  const desk = await opened();
  desk.write("b", "written");
  const reset = desk.resetCell("a");
  await Promise.resolve();
  desk.write("b", "written on");
  await server.answerAll();
  await reset;
  expect(desk.codeOf("b")).toBe("written on");
  void desk.drafts.save();
  await server.answerAll();
  expect(server.texts.b).toBe("written on");
});

test("who writes on while a text is on its way is not told of another window", async () => {
  const desk = await opened();
  desk.write("a", "one");
  void desk.drafts.save();
  desk.write("a", "two");
  void desk.drafts.save();
  await server.answerAll();
  expect([desk.refusal, server.texts.a]).toEqual([null, "two"]);
});

test.each([0, 1])("a page left while a text is on its way loses nothing (%i drafts arrived)", async (arrived) => {
  const desk = await opened();
  desk.write("a", "one");
  void desk.drafts.save();
  await Promise.resolve();
  desk.write("a", "two");
  desk.drafts.leave();
  if (arrived > 0) server.texts.a = "one";
  const next = await opened();
  expect(next.codeOf("a")).toBe("two");
});
