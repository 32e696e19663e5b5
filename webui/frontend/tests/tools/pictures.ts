/** The pictures of the gallery. Each asserts what its caption claims before it is taken. */
import { expect, type Page } from "@playwright/test";
import { idle, open, press } from "../e2e/page";
import { recorded } from "../e2e/python";
import { LiveServer } from "../e2e/live";
import { momentOf, wholeSteps } from "./traces";

export const SIZES = {
  1280: { width: 1280, height: 800 },
  1440: { width: 1440, height: 900 },
  1920: { width: 1920, height: 1080 },
};

export interface Picture {
  /** Of the file, without its ending. */
  name: string;
  title: string;
  caption: string;
  width: keyof typeof SIZES;
  theme: "light" | "dark";
  /** Brings the page there; what it hands to `later` is done after the picture. */
  show(page: Page, later: (tidy: () => void) => void): Promise<void>;
}

export const PICTURES: Picture[] = [
  {
    name: "explorer",
    title: "A net that reads digits",
    caption:
      "The last of 28 training steps: the graph with its values, the chosen op's formula with the numbers of one element, " +
      "the source with a line for each op, and every event of the step below.",
    width: 1920,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=digits&step=28&sel=n2&el=1,2"));
      await expect(page.getByText("with the numbers of element [1, 2]")).toBeVisible();
    },
  },
  {
    name: "backward",
    title: "Backward as a twin of forward",
    caption:
      "In the middle of backward: every op's box has a half for its gradient, those that have run are filled, the engine's queue says what is next.",
    width: 1440,
    theme: "dark",
    async show(page) {
      await open(page, recorded(`run=digits&step=3&at=${momentOf("digits", 3, "node_entered", 3)}`));
      await expect(page.getByLabel("The engine")).toBeVisible();
    },
  },
  {
    name: "accumulation",
    title: "Gradients add up",
    caption:
      "A leaf that is used three times gets three contributions and their sum; a second backward is added to what was already there.",
    width: 1280,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=expression&sel=t1"));
      await expect(page.getByRole("table", { name: "Contributions" })).toHaveCount(2);
    },
  },
  {
    name: "saved",
    title: "Saved tensors",
    caption:
      "What an op keeps for backward, with versions and bytes: the ops that backward has passed have let theirs go, the others still hold them.",
    width: 1440,
    theme: "light",
    async show(page) {
      await open(page, recorded(`run=digits&step=3&sel=n2&at=${momentOf("digits", 3, "released", 2)}`));
      await expect(page.getByRole("heading", { name: "Saved for backward" })).toBeVisible();
    },
  },
  {
    name: "gpt",
    title: "A giant, folded",
    caption:
      "A GPT of 12 layers, three passes, 13,000 nodes with their backward: the twelve equal blocks are one box, opened by a key.",
    width: 1920,
    theme: "dark",
    async show(page) {
      await open(page, recorded("run=gpt&sel=m/model/blocks.0*"));
      await expect(page.getByText("×12").first()).toBeAttached();
    },
  },
  {
    name: "loop",
    title: "A loop, folded",
    caption:
      "An LSTM over 50 numbers: its 50 passes are one box, and the text tree beside the picture says the same in words.",
    width: 1440,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=sequence&step=1&tree=1"));
      await page.getByRole("treeitem", { name: /Loop ×50/ }).click();
      await idle(page);
    },
  },
  {
    name: "functions",
    title: "A program without modules",
    caption: "Functions are boxes, like modules. This one has 75 ops and is drawn by its lines; line 39 is opened.",
    width: 1920,
    theme: "light",
    async show(page) {
      await open(page, recorded(`run=functions&sel=${encodeURIComponent("m/spline()/line 39")}`));
      await press(page, "e");
      await expect(page.getByText("line 39 (index) has 4 ops").first()).toBeVisible();
    },
  },
  {
    name: "none",
    title: "Why is the gradient None?",
    caption: "One key says why a tensor has no gradient at this moment, and where to look.",
    width: 1280,
    theme: "dark",
    async show(page) {
      const before = momentOf("learning", 3, "backward_started") - 1;
      await open(page, recorded(`run=learning&step=3&sel=t2&at=${before}`));
      await press(page, "w");
      await expect(page.getByText("No backward has started at this moment.").first()).toBeVisible();
    },
  },
  {
    name: "nan",
    title: "The first NaN",
    caption:
      "A run that ended in NaN: one key goes to the op that made the first one, its line, and which of its numbers have none.",
    width: 1440,
    theme: "dark",
    async show(page) {
      await open(page, recorded("run=diverging"));
      await press(page, "n");
      await page.getByRole("button", { name: "Close" }).click();
      await idle(page);
      await expect(page.getByRole("heading", { name: "Log", exact: true })).toBeVisible();
    },
  },
  {
    name: "stale",
    title: "Changed in place after it was saved",
    caption:
      "A red line leads from what changed the tensor to the op that needed it unchanged; both source lines are marked.",
    width: 1280,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=stale"));
      await expect(page.getByText("A tensor that backward needs was overwritten after it was saved")).toBeVisible();
    },
  },
  {
    name: "curvature",
    title: "A gradient of a gradient of a gradient",
    caption: "Each graph that `create_graph` makes has a lane of its own: the third derivative of x³ is 6.",
    width: 1920,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=curvature&sel=t1"));
      await press(page, "f");
      await expect(page.getByText("6", { exact: true }).first()).toBeVisible();
    },
  },
  {
    name: "compare",
    title: "Two steps compared",
    caption:
      "By how much each gradient is larger than in another training step; in the picture, what is alike steps back.",
    width: 1440,
    theme: "light",
    async show(page) {
      const [before, step] = wholeSteps("digits").slice(-2);
      await open(page, recorded(`run=digits&step=${step}`));
      await press(page, "c");
      const inspector = page.getByRole("complementary", { name: "Inspector" });
      await page.getByLabel("Step to compare with").fill(String(before));
      await inspector.getByRole("button", { name: "Compare" }).click();
      await idle(page);
      await expect(page.getByText(/\d+ changed/)).toBeVisible();
    },
  },
  {
    name: "norms",
    title: "Where the gradient vanishes",
    caption:
      "The norm of each parameter's gradient over the steps, on a logarithmic axis: twelve sigmoids let it fade on its way back, one layer never gets any.",
    width: 1440,
    theme: "light",
    async show(page) {
      await open(page, recorded("run=vanishing&curves=norms"));
      const list = page.getByRole("list", { name: "Parameters and their gradient norms" });
      await list.locator('button:has-text("body.0.weight")').click();
      await idle(page);
      await expect(list.locator('button:has-text("body.0.weight")')).toContainText("vanishing");
      await expect(page.getByRole("tab", { name: "Gradient norms" })).toHaveAttribute("aria-selected", "true");
    },
  },
  {
    name: "memory",
    title: "What backward costs in memory",
    caption:
      "Parameters, gradients, activations and the rest over the events of a step, to the byte; hovering says who keeps the most.",
    width: 1440,
    theme: "dark",
    async show(page) {
      await open(page, recorded("run=convolutions&step=3"));
      const track = (await page.getByRole("slider", { name: "Event" }).boundingBox())!;
      await page.mouse.move(track.x + track.width * 0.3, track.y + 30);
      await idle(page);
      await expect(page.locator("footer .hint")).toContainText(/saved activations: .* by /);
    },
  },
  {
    name: "ops",
    title: "The reference of ops",
    caption: "Every op with its formula and the gradient of each input, and a check of them on the spot.",
    width: 1280,
    theme: "light",
    async show(page) {
      await open(page, recorded("").replace("/?", "/ops?q=product&"));
      const card = page.locator("article#MatMul");
      await card.getByRole("button", { name: "Check the gradients of MatMul" }).click();
      await expect(card.getByRole("status")).toContainText("agree with differences in all", { timeout: 60_000 });
    },
  },
  {
    name: "lesson",
    title: "A lesson",
    caption: "A page of the course: text, cells to run and exercises, with the live graph beside them.",
    width: 1440,
    theme: "light",
    async show(page) {
      await open(page, recorded("").replace("/?", "/lesson/02-gradients-add-up?"));
      await page.getByRole("button", { name: /^Run/ }).first().click();
      await idle(page);
    },
  },
  {
    name: "paused",
    title: "A program held still",
    caption:
      "The program really waits, inside backward, at a breakpoint: the bar says where and why, and steps or continues it.",
    width: 1440,
    theme: "dark",
    async show(page, later) {
      const live = new LiveServer();
      later(() => live.stop());
      await live.start();
      const { run } = await live.watch("fixtures/paused.py", "op=Tanh,backward");
      await page.goto(run);
      await expect(page.getByRole("region", { name: "The program is paused" })).toContainText("Paused before Tanh");
      await idle(page);
    },
  },
  {
    name: "pytorch",
    title: "PyTorch, watched",
    caption:
      "`minigrad run train.py`, where the program says `import torch` and knows nothing of minigrad: its modules, its graph, " +
      "the gradient of each parameter, what backward holds in memory.",
    width: 1440,
    theme: "light",
    async show(page, later) {
      const live = new LiveServer();
      later(() => live.stop());
      await live.start();
      const { run } = await live.watch(
        "-m",
        "minigrad",
        "run",
        "--no-browser",
        "--values",
        "all",
        "fixtures/pytorch.py",
      );
      await page.goto(run);
      await expect(page.getByText("Finished", { exact: true })).toBeVisible();
      await page.goto(`${run}&step=59&open=model`);
      await page.reload();
      await expect(page.getByRole("heading", { name: "Step 59" })).toBeVisible();
      await idle(page);
    },
  },
  {
    name: "ranks",
    title: "Four ranks, one training run",
    caption:
      "Data parallel training over MPI: each rank is a lane, the all-reduce of each bucket lies between them. The panel shows when " +
      "each rank runs backward, fills its buckets and waits, and names the rank that the others wait for.",
    width: 1920,
    theme: "light",
    async show(page, later) {
      const live = new LiveServer();
      later(() => live.stop());
      await live.start();
      const { program, run } = await live.watch("fixtures/parallel.py", "4");
      await new Promise((ended) => program.once("exit", ended));
      await page.goto(`${run}&step=8`);
      await expect(page.getByRole("heading", { name: "Step 8" })).toBeVisible();
      await page.getByRole("button", { name: /^Fit/ }).click();
      await idle(page);
    },
  },
];
