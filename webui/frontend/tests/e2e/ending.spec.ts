/** The page of a viewer that followed a program to its end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { LiveServer, until } from "./live";
import { idle } from "./page";
import { hasServer } from "./python";

test.use({ reducedMotion: "reduce" });
test.skip(!hasServer(), "no Python with minigrad_webui: set PYTHON to one that has");

test("the last step that was trained, not the evaluation after it", async ({ page }) => {
  const live = new LiveServer();
  try {
    await live.start();
    const file = join(live.folder, "trained.py");
    writeFileSync(
      file,
      `import sys
import minigrad as mg

mg.watch("trained.py", browser=False)
w = mg.tensor([1.0, 2.0], requires_grad=True)
x = mg.tensor([3.0, 4.0])
optimizer = mg.optim.SGD([w], lr=0.01)
sys.stdin.readline()
for _ in range(3):
    optimizer.zero_grad()
    loss = (w * x).sum().tanh()
    loss.backward()
    optimizer.step()
with mg.no_grad():
    guess = (w * x).exp().sum()
print("evaluated", flush=True)
sys.stdin.readline()
`,
    );
    const { program, run } = await live.watch(file);
    await page.goto(run);
    await idle(page);
    program.stdin!.write("go\n");
    await until(program, /evaluated/);
    await expect(page.getByRole("img", { name: /^Graph of [1-9]/ })).toHaveCount(1);
    program.stdin!.write("end\n");
    await expect(page.getByText("finished").first()).toBeVisible();
    await idle(page);
    await page.keyboard.press("t");
    const tree = page.getByRole("tree").first();
    await expect(tree).toContainText("Tanh");
    await expect(tree).not.toContainText("Exp");
  } finally {
    live.stop();
  }
});
