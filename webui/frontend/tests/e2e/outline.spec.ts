/** A giant is drawn from its outline: what became of its ops is fetched when it can be seen. */
import { expect, type Page, test } from "@playwright/test";
import { event, idle, open, rectOf } from "./page";
import { hasServer, recorded } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const BLOCKS = "m/model/blocks.0*";

/** Stands between page and server, notes what goes by, and keeps what the page asks for until it is let through. */
async function between(page: Page): Promise<{ seen: string[]; letThrough: () => void }> {
  const seen: string[] = [];
  let letThrough = (): void => undefined;
  await page.routeWebSocket(/\/live\?/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      seen.push(typeOf(message));
      letThrough = () => server.send(message);
    });
    server.onMessage((message) => {
      seen.push(typeOf(message));
      socket.send(message);
    });
  });
  return { seen, letThrough: () => letThrough() };
}

const typeOf = (message: string | Buffer): string => (JSON.parse(String(message)) as { type: string }).type;

test("a giant is seen before its records are asked for, and nothing moves when they come", async ({ page }) => {
  const wire = await between(page);
  await page.goto(recorded("run=gpt"));
  await expect.poll(() => wire.seen).toEqual(["outline", "subscribe"]);
  const before = await rectOf(page, BLOCKS);
  expect(before).not.toBeNull();
  await expect(page.locator("html")).toHaveAttribute("data-idle", "false");
  await expect(page.locator("aside *")).toHaveCount(0);
  wire.letThrough();
  await idle(page);
  await expect(page.locator("aside.left")).toContainText("class Head");
  await expect(page.locator("aside.right")).toContainText("6,723 ops");
  expect(wire.seen).toEqual(["outline", "subscribe", "snapshot"]);
  expect(await rectOf(page, BLOCKS)).toEqual(before);
  expect(await event(page)).toMatch(/^Event (46,\d{3}) of \1$/);
});

test("a smaller run has none, and comes as before", async ({ page }) => {
  const wire = await between(page);
  await open(page, recorded("run=digits"));
  expect(wire.seen).toEqual(["snapshot"]);
});
