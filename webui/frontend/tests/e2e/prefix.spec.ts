/** Behind a proxy that adds a path, and in a frame of a notebook: pages, requests and the live connection. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { idle, open, rectOf } from "./page";
import { hasServer, PORTS, recorded, RECORDED_TOKEN } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

const PREFIX = "/user/ada/proxy/minigrad";
let proxy: Server;
let origin = "";

const onward = (from: IncomingMessage) => ({
  host: "127.0.0.1",
  port: PORTS.recorded,
  method: from.method,
  path: from.url!.slice(PREFIX.length) || "/",
  headers: { ...from.headers, "x-forwarded-prefix": PREFIX },
});

/** A proxy as JupyterHub or nginx: take the path away, say so in a header, pass on the rest, WebSockets too. */
test.beforeAll(async () => {
  proxy = createServer((from, to) => {
    if (!from.url!.startsWith(`${PREFIX}/`)) return to.writeHead(404).end();
    const asked = request(onward(from), (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    from.pipe(asked);
  });
  proxy.on("upgrade", (from, socket) => {
    const asked = request(onward(from)).end();
    asked.on("upgrade", (answer, other, sent: Buffer) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.on("error", () => other.destroy()); // a page that is left resets its connection
      other.on("error", () => socket.destroy());
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      socket.write(sent); // the server says something at once
      other.pipe(socket).pipe(other);
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

test.afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

test("the explorer works under a path prefix, with its live connection and its other pages", async ({ page }) => {
  const astray: string[] = [];
  page.on("request", (r) => r.url().startsWith(origin) && !r.url().includes(PREFIX) && astray.push(r.url()));
  await open(page, `${origin}${PREFIX}/?token=${RECORDED_TOKEN}`);
  const [socket] = await Promise.all([
    page.waitForEvent("websocket"),
    page.getByRole("button", { name: "learning.py", exact: true }).click(),
  ]);
  expect(new URL(socket.url()).pathname).toBe(`${PREFIX}/api/runs/learning/live`);
  await idle(page);
  expect(await rectOf(page, "n1")).not.toBeNull();
  await page.getByRole("link", { name: "Ops" }).click();
  await idle(page);
  await expect(page).toHaveURL(`${origin}${PREFIX}/ops`);
  await expect.poll(() => page.locator("article").count()).toBeGreaterThan(150);
  expect(astray).toEqual([]);
});

test("in a frame of a notebook at localhost the run is shown", async ({ page }) => {
  const address = new URL(recorded("run=learning").replace("127.0.0.1", "localhost"));
  const headers = { Authorization: `Bearer ${address.searchParams.get("token")}` };
  const issued = await fetch(new URL("/api/tickets", address), { method: "POST", headers });
  const { ticket } = (await issued.json()) as { ticket: string };
  address.search = `?ticket=${ticket}`;
  const frame = address.href;
  const notebook = createServer((_, to) => {
    to.writeHead(200, { "content-type": "text/html" });
    to.end(`<iframe src="${frame}" width="1200" height="640"></iframe>`);
  });
  await new Promise<void>((listening) => notebook.listen(0, "localhost", listening));
  await page.goto(`http://localhost:${(notebook.address() as AddressInfo).port}/lab`);
  const shown = page.frameLocator("iframe").getByRole("heading", { name: "learning.py" }).first();
  await expect(shown).toBeVisible();
  notebook.closeAllConnections();
  notebook.close();
});
