/** A program that runs an op every 20 milliseconds and notes when; no two lines are alike, so nothing of it is folded.
 *
 * It runs `count` of them, and fewer if a line is written to it meanwhile: however slow the page is, it has seen enough.
 */

const LINES = ["mg.tanh(h)", "mg.sin(h)", "mg.sigmoid(h)", "mg.cos(h)", "h * x", "h + x", "h - x", "h / 2"];

export function pacedProgram(count: number): string {
  let state = 7;
  const next = (): string => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return LINES[Math.floor((state / 2 ** 32) * LINES.length)]!;
  };
  const ops = Array.from({ length: count }, () => `    events.append(time.time())\n    h = ${next()}\n    pause()`);
  return `import select
import sys
import time

import minigrad as mg

mg.watch("paced.py", browser=False)
x = mg.ones(4, 8, requires_grad=True)
h, events = x, []


def pause():
    time.sleep(0.02)
    if select.select([sys.stdin], [], [], 0)[0]:
        raise EOFError


sys.stdin.readline()
try:
${ops.join("\n")}
except EOFError:
    sys.stdin.readline()
print("events:", events, flush=True)
sys.stdin.readline()
h.backward(mg.ones(4, 8))
print("backward is done", flush=True)
sys.stdin.readline()
`;
}
