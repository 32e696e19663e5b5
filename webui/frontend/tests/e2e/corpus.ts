/**
 * Programs that nobody prepared for the explorer, each watched in a real browser at the default settings, and what must
 * hold of the picture while it runs and after.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import type { Run, Step } from "../../src/protocol";
import type { LiveServer } from "./live";
import { idle } from "./page";

export interface Program {
  name: string;
  /** Steps that have a loss. */
  losses: number;
  /**
   * The fault in it, with step and line; a correct program has none. The order in which a processor adds decides whether
   * a product of infinities is one or NaN.
   */
  trouble?: { kinds: readonly string[]; step: number; line: number };
  /** It ends in an error, and the page says so with these words. */
  fails?: string;
  /** What the first line says of it in the end; of other correct programs it says nothing at any time. */
  told?: string;
  /** Modules that it never calls, or that compute nothing. */
  unused?: readonly string[];
  /** Paths of the objects that are no modules, and that it calls like them. */
  objects?: readonly string[];
  /** The program's name for a net where it calls it, by the net's global name. */
  called?: Readonly<Record<string, string>>;
}

/** Of a transformer's layers without dropout; an attention uses the weights of its `out_proj`, and does not call it. */
const WITHOUT_DROPOUT = [0, 1].flatMap((i) =>
  ["self_attn.out_proj", "dropout", "dropout1", "dropout2"].map((name) => `model.blocks.layers.${i}.${name}`),
);

/** The layer that an encoder of PyTorch's copies is never called itself. */
const COPIED = [
  ...["", ".self_attn", ".self_attn.out_proj", ".linear1", ".linear2", ".norm1", ".norm2"].map(
    (name) => `layer${name}`,
  ),
  ...["dropout", "dropout1", "dropout2"].map((name) => `layer.${name}`),
  ...[0, 1, 2].map((i) => `model.1.layers.${i}.self_attn.out_proj`),
];

/** A net of 4, 4 and 1 neurons. */
const NEURONS = [
  "net",
  ...[4, 4, 1].flatMap((neurons, i) => [
    `net.layers.${i}`,
    ...Array.from({ length: neurons }, (_, j) => `net.layers.${i}.neurons.${j}`),
  ]),
];

export const CORPUS: readonly Program[] = [
  { name: "accumulate", losses: 8 },
  { name: "actor_critic", losses: 10 },
  { name: "arithmetic", losses: 0 },
  { name: "automaton", losses: 5 },
  { name: "bag", losses: 10 },
  { name: "caught", losses: 15 },
  { name: "char_rnn", losses: 8 },
  { name: "checkpointing", losses: 6 },
  { name: "cnn_nan", losses: 10, trouble: { kinds: ["nan"], step: 7, line: 37 } },
  { name: "crash", losses: 2, fails: "line 13" },
  { name: "crash_block", losses: 2, fails: "line 16" },
  { name: "curvatures", losses: 1 },
  { name: "custom", losses: 4 },
  { name: "densenet", losses: 6 },
  { name: "diffusion", losses: 12 },
  { name: "distillation", losses: 10 },
  { name: "early_exit", losses: 5 },
  { name: "equilibrium", losses: 8 },
  { name: "evaluation", losses: 9 },
  { name: "evolution", losses: 0 },
  { name: "experts", losses: 8 },
  { name: "exploding", losses: 8, trouble: { kinds: ["inf", "nan"], step: 1, line: 13 } },
  { name: "forgotten", losses: 1, unused: ["net.unused"], told: "first.weight has no gradient" },
  { name: "forward_mode", losses: 1 },
  { name: "functional", losses: 10 },
  { name: "gan", losses: 40 },
  { name: "generate", losses: 6, unused: WITHOUT_DROPOUT },
  { name: "gpt12", losses: 12 },
  { name: "graph_net", losses: 8 },
  { name: "hamiltonian", losses: 6, called: { model: "f" } },
  { name: "heads64", losses: 5 },
  { name: "hooks", losses: 6 },
  { name: "inplace", losses: 8 },
  { name: "jacobian", losses: 1 },
  { name: "kv_cache", losses: 10 },
  { name: "lbfgs", losses: 20 },
  { name: "lstm50", losses: 8 },
  { name: "maml", losses: 6 },
  { name: "mamba", losses: 8 },
  { name: "micrograd", losses: 1 },
  { name: "mlp3000", losses: 3000 },
  { name: "nan_log", losses: 9, trouble: { kinds: ["nan"], step: 3, line: 14 } },
  { name: "neurons", losses: 10, objects: NEURONS },
  { name: "notebook", losses: 8 },
  { name: "oddities", losses: 6, unused: ["net.by_name.spare"], told: "by_name.spare.bias never have a gradient" },
  { name: "ode", losses: 3 },
  { name: "per_sample", losses: 0 },
  { name: "policy", losses: 10 },
  { name: "pytorch", losses: 10, unused: COPIED },
  { name: "q_learning", losses: 11 },
  { name: "random_depth", losses: 14 },
  { name: "resnet20", losses: 12 },
  { name: "reversible", losses: 6 },
  { name: "routing", losses: 6 },
  { name: "script", losses: 12 },
  { name: "seq2seq", losses: 10 },
  { name: "siamese", losses: 10 },
  { name: "spline", losses: 12 },
  { name: "stale", losses: 0, fails: "line 7", trouble: { kinds: ["stale"], step: 0, line: 7 } },
  { name: "tasks", losses: 4 },
  { name: "threads", losses: 12, called: { first: "net", second: "net" } },
  { name: "tied", losses: 8 },
  { name: "trainer", losses: 12 },
  { name: "truncated", losses: 12 },
  { name: "two_nets", losses: 8 },
  { name: "unet", losses: 10 },
  { name: "vae", losses: 12 },
  { name: "wgan", losses: 15 },
  { name: "wide", losses: 10 },
  { name: "words", losses: 12 },
];

/** The picture at one moment. */
interface Sample {
  at: number;
  mode: string;
  /** Whether the whole box of what acts is in the clear part of the pane; null where nothing acts. */
  inSight: boolean | null;
  boxes: number;
  /** Whether there is an op to be drawn. */
  ops: boolean;
  /** Whether the panel says that there is none. */
  untold: boolean;
  /** What the first line says is wrong. */
  told: string;
  /** The smallest text that was drawn since the sample before, and its height in pixels. */
  text: { of: string; height: number } | null;
}

export interface Seen {
  program: Program;
  samples: Sample[];
  run: Run;
  steps: Step[];
  /** Paths of modules that the picture ever showed, and those of the program itself with their types. */
  shown: string[];
  named: Record<string, string> | null;
  /** The problem in the page's words, and the boxes that it frames in red. */
  alerts: string[];
  red: string[];
  /** Errors of the page's own scripts. */
  errors: string[];
}

declare global {
  interface Window {
    watched?: { samples: Sample[]; modules: Set<string> };
  }
}

/** That a large tensor is shown in part is no alarm. */
const SAMPLED = /^A sample of \d/;

const EVERY_MS = 250;

/** Notes what is drawn, four times a second. Runs in the page, before any script of its own. */
function watchPicture(every: number): void {
  let least: Sample["text"] = null;
  const { prototype } = CanvasRenderingContext2D;
  const write = prototype.fillText;
  prototype.fillText = function (text, x, y, ...rest) {
    const { a, d, e, f } = this.getTransform();
    const [left, top] = [a * x + e, d * y + f];
    const height = (Number(/([\d.]+)px/.exec(this.font)![1]) * a) / devicePixelRatio;
    const seen = left >= 0 && left < this.canvas.width && top >= 0 && top < this.canvas.height;
    if (seen && !(height >= (least?.height ?? Infinity))) least = { of: text, height };
    write.call(this, text, x, y, ...rest);
  };
  const watched = (window.watched = { samples: [] as Sample[], modules: new Set<string>() });
  setInterval(() => {
    const explorer = window.minigradExplorer;
    if (!explorer) return;
    const { mode, pane, boxes } = explorer.shot();
    const acting = explorer.acting();
    const rect = acting === null ? null : explorer.rectOf(acting);
    const { left, top, right, bottom } = pane.covered;
    const inSight =
      acting === null
        ? null
        : rect !== null &&
          rect.x >= left - 1 &&
          rect.y >= top - 1 &&
          rect.x + rect.w <= pane.width - right + 1 &&
          rect.y + rect.h <= pane.height - bottom + 1;
    const ops = !/^Graph of 0 ops/.test(
      document.querySelector(".picture")?.getAttribute("aria-label") ?? "Graph of 0 ops",
    );
    watched.samples.push({
      ...{ at: performance.now(), mode, inSight, boxes, ops },
      untold: /^\s*0 ops/.test(document.querySelector("aside .facts")?.textContent ?? ""),
      told: document.querySelector("section.doctor p")?.textContent?.trim() ?? "",
      text: least,
    });
    least = null;
    explorer.modules().forEach((path) => watched.modules.add(path));
  }, every);
}

/** The program waits until it is looked at, and tells at its end which modules its nets have; its lines keep their numbers. */
function prepared(source: string, seconds: number): string {
  const named =
    "(lambda nets: {f'{v}.{n}'.rstrip('.'): type(m).__name__ for v, net in nets.items()" +
    " if not any(net is m for other in nets.values() if other is not net for m in other.modules())" +
    " for n, m in net.named_modules()})({v: n for v, n in list(globals().items()) if isinstance(n, __import__('sys').modules.get('torch', __import__('minigrad')).nn.Module)})";
  return `__import__("pace").wait(${seconds}); ${source}\nprint("modules:", __import__("json").dumps(${named}), flush=True)\n`;
}

/** Runs a program, for so many seconds slowly, and looks on; the page shows its end when this returns. */
export async function lookOn(page: Page, live: LiveServer, program: Program, seconds = 4): Promise<Seen> {
  const file = join(live.folder, `${program.name}.py`);
  copyFileSync("fixtures/pace.py", join(live.folder, "pace.py"));
  writeFileSync(file, prepared(readFileSync(`fixtures/corpus/${program.name}.py`, "utf8"), seconds));
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.addInitScript(watchPicture, EVERY_MS);
  const { program: child, run: address } = await live.watch("-m", "minigrad", "run", "--no-browser", file);
  let printed = "";
  child.stdout!.on("data", (chunk: Buffer) => (printed += String(chunk)));
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  await page.goto(address);
  await idle(page);
  child.stdin!.write("go\n");
  await ended;
  const id = decodeURIComponent(/run=([^&]+)/.exec(address)![1]!);
  const get = <T>(path: string): Promise<T> => page.evaluate(async (p) => (await (await fetch(p)).json()) as T, path);
  await expect.poll(async () => (await get<Run>(`api/runs/${id}`)).status).not.toBe("running");
  await expect(page.locator("header").first()).not.toContainText(/running/i);
  const held = (): boolean => window.minigradExplorer!.shot().mode === "held";
  if (program.trouble && !program.fails) await page.waitForFunction(held, null, { timeout: 60_000 }).catch(() => null);
  if (program.told)
    await page
      .locator("section.doctor p")
      .first()
      .waitFor({ timeout: 60_000 })
      .catch(() => null);
  await page.waitForFunction(
    (count) => window.watched!.samples.length > count,
    await page.evaluate(() => window.watched!.samples.length + 1),
  );
  await idle(page);
  const { samples, shown } = await page.evaluate(() => ({
    samples: window.watched!.samples,
    shown: [...window.watched!.modules],
  }));
  const named = /^modules: (.*)$/m.exec(printed)?.[1];
  return {
    ...{ program, samples, shown, errors },
    run: await get<Run>(`api/runs/${id}`),
    steps: await get<Step[]>(`api/runs/${id}/steps`),
    named: named ? (JSON.parse(named) as Record<string, string>) : null,
    red: await page.evaluate(() => window.minigradExplorer!.alarming()),
    alerts: (await page.locator("main [role=alert], main [role=status], aside p.note").allInnerTexts()).filter(
      (text) => !SAMPLED.test(text),
    ),
  };
}

export interface Figures {
  samples: number;
  /** Share of the samples with something that acts in which all of its box is in sight, or was half a second ago. */
  inSight: number;
  /** Samples without a box though there were ops. */
  blank: number;
  /** Height of the smallest text, in pixels. */
  text: { of: string; height: number };
  /** Samples in which the camera had left the program, though nobody moved it. */
  away: number;
  /** Samples in which the panel counts no ops though there are boxes. */
  untold: number;
  losses: number;
}

export function figuresOf({ samples, steps }: Seen): Figures {
  const acting = samples.flatMap(({ inSight, mode }, i) => {
    if (inSight === null || mode === "resting" || !samples[i - DWELL]?.ops) return []; // at rest nothing acts
    return samples.slice(i - DWELL, i + 1).some((sample) => sample.inSight);
  });
  const texts = samples.flatMap(({ text }) => text ?? []);
  return {
    samples: samples.length,
    inSight: acting.length === 0 ? 1 : acting.filter(Boolean).length / acting.length,
    blank: samples.filter(({ ops, boxes }, i) => ops && boxes === 0 && samples[i - DWELL]?.ops).length,
    text: texts.reduce((a, b) => (b.height < a.height ? b : a), { of: "", height: Infinity }),
    away: samples.filter(({ mode }) => mode === "away").length,
    untold: samples.filter(({ untold, boxes }) => untold && boxes > 0).length,
    losses: steps.filter(({ loss, not_finite }) => loss != null || not_finite).length,
  };
}

/** The camera moves at most twice a second: so many samples lie between two of its moves. */
const DWELL = 2;

const LEAST_TEXT = 10.99;

/** Modules that hold others and are not called themselves, or compute nothing. */
const WITHOUT_OPS = new Set(["ModuleList", "ModuleDict", "Identity", "Flatten"]);

/** A module's own path: without the number of the call, and without what stands around it in the picture alone. */
const plain = (path: string): string =>
  path
    .replaceAll(/ \(\d+\)/g, "")
    .replaceAll(/(^|\.)(pass \d+|∇\d+|no gradient|recomputed|lines? [\d–]+|\w+\(\))(?=\.|$)/g, "")
    .replace(/^\./, "");

export const STRICT = { inSight: 0.99, blank: 0 };

/** The broken invariants, in words. */
export function broken(seen: Seen, { inSight, blank } = STRICT): string[] {
  const { program, run, samples, shown, alerts, red, errors } = seen;
  const objects = Object.fromEntries((program.objects ?? []).map((path) => [path, ""]));
  const named = seen.named && { ...seen.named, ...objects };
  const figures = figuresOf(seen);
  const wrong = [...new Set(errors)];
  if (figures.inSight < inSight)
    wrong.push(`what acts is in sight in ${(100 * figures.inSight).toFixed(0)} % of the samples`);
  if (figures.blank > blank) wrong.push(`${figures.blank} samples show no box`);
  if (figures.text.height < LEAST_TEXT) wrong.push(`"${figures.text.of}" is ${figures.text.height.toFixed(1)} px high`);
  if (figures.away > 0) wrong.push(`the camera left the program in ${figures.away} samples`);
  if (figures.untold > 0) wrong.push(`${figures.untold} samples say "0 ops" beside boxes`);
  if (figures.losses !== program.losses) wrong.push(`${figures.losses} losses of ${program.losses}`);
  if (named) {
    const called = (path: string): string => path.replace(/^\w+/, (net) => program.called?.[net] ?? net);
    const real = new Set(Object.keys(named).map(called));
    const drawn = new Set(shown.map(plain).filter(Boolean));
    const unknown = [...drawn].filter((path) => !real.has(path));
    if (unknown.length > 0) wrong.push(`no modules: ${unknown.join(", ")}`);
    const missing = Object.keys(named).filter((path) => !WITHOUT_OPS.has(named[path]!) && !drawn.has(called(path)));
    const used = missing.filter((path) => !program.unused?.includes(path));
    if (used.length > 0) wrong.push(`not in the picture: ${used.join(", ")}`);
  }
  if (program.trouble && !program.fails && samples.at(-1)?.mode !== "held") wrong.push("does not end at the trouble");
  const found = run.trouble ?? null;
  const { trouble } = program;
  if (!trouble && found) wrong.push(`an alarm: ${found.message}`);
  const told = [...new Set(samples.map((sample) => sample.told))].filter(Boolean);
  if (program.told ? !told.at(-1)?.includes(program.told) : !trouble && !program.fails && told.length > 0)
    wrong.push(`the first line says: ${told.join(" / ") || "nothing"}`);
  if (program.fails && !alerts.some((alert) => alert.includes(program.fails!))) wrong.push("says nothing of the error");
  if (!trouble && !program.fails && red.length > 0) wrong.push(`red: ${red.join(", ")}`);
  if (!trouble && !program.fails && alerts.length > 0) wrong.push(`says: ${alerts.join(" / ")}`);
  if (
    trouble &&
    !(found && trouble.kinds.includes(found.kind) && found.step === trouble.step && found.line === trouble.line)
  )
    wrong.push(
      `found ${found ? `${found.kind} in step ${found.step}, line ${found.line}` : "nothing"}, not ${trouble.kinds.join(" or ")} in step ${trouble.step}, line ${trouble.line}`,
    );
  return wrong;
}
