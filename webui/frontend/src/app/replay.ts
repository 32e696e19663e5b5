/**
 * One HTML file that shows a run without server or network: this very app with its parts and the records put inside.
 *
 * The page gathers its own files, so the replay is always of the version that made it.
 */
import type { AnyRecord, Run, Snapshot, Step } from "../protocol";
import { address } from "../protocol/client";

/** What a replay carries; found in the page, it takes the place of the server. */
export interface Replay {
  run: Run;
  steps: Step[];
  records: AnyRecord[];
  /** The layout worker's text: a page from a file may not load another file. */
  worker: string;
}

declare global {
  interface Window {
    minigradReplay?: Replay;
  }
}

export const replay = (): Replay | null => window.minigradReplay ?? null;

/** Stands in for the live connection: the snapshot that the server would have sent. */
export function watchReplay(carried: Replay, step: number | null, message: (message: Snapshot) => void): () => void {
  const shown = step ?? carried.steps.at(-1)?.step ?? 0;
  const records = carried.records.filter((r) => r.type === "source" || (r.step ?? 0) === shown);
  const seq = records.at(-1)?.seq ?? 0;
  const plain = records as unknown as Snapshot["records"];
  const timer = setTimeout(() => {
    message({ type: "snapshot", run: carried.run, steps: carried.steps, step: shown, seq, records: plain });
  });
  return () => clearTimeout(timer);
}

const asText = async (path: string): Promise<string> => (await fetch(address(path))).text();

async function asDataUri(path: string): Promise<string> {
  const blob = await (await fetch(address(path))).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(blob);
  });
}

/** Nothing inside a script element may close it. */
const inScript = (text: string): string => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

export async function recordsOf(run: string): Promise<AnyRecord[]> {
  const text = await asText(`api/runs/${encodeURIComponent(run)}/records`);
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as AnyRecord);
}

export async function makeReplay(run: Run, steps: Step[], records: AnyRecord[]): Promise<string> {
  const page = await asText("./");
  const script = /<script[^>]*src="([^"]+)"[^>]*><\/script>/.exec(page);
  const style = /<link[^>]*rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/.exec(page);
  if (!script || !style) throw new Error("This page was not built: run `npm run build` first.");
  let code = await asText(script[1]!);
  const workerName = /[\w./-]*worker-[\w-]+\.js/.exec(code)?.[0];
  const worker = workerName ? await asText(`assets/${workerName.split("/").at(-1)}`) : "";
  const css = await inlineFonts(await asText(style[1]!));
  code = await inlineFonts(code);
  const data: Replay = { run, steps, records, worker };
  const carried = `<script>window.minigradReplay=${inScript(JSON.stringify(data))}</script>`;
  return page
    .replace(style[0], () => `<style>${css}</style>`)
    .replace(script[0], "")
    .replace("</body>", () => `${carried}<script type="module">${inScript(code)}</script></body>`);
}

/** Fonts become part of the text; wherever a file name stands, its content does. */
async function inlineFonts(text: string): Promise<string> {
  const names = [...new Set([...text.matchAll(/[\w-]+\.woff2/g)].map((m) => m[0]))];
  let out = text;
  for (const name of names) {
    const uri = await asDataUri(`assets/${name}`);
    out = out.replaceAll(`url(./${name})`, `url(${uri})`);
    for (const quote of ["`", '"', "'"]) {
      out = out.replaceAll(`new URL(${quote}${name}${quote},import.meta.url).href`, JSON.stringify(uri));
    }
  }
  return out;
}
