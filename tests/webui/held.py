"""A program to pause: `held.py BREAKPOINT...` trains a net of two layers for ever, and prints each step."""

from __future__ import annotations

import sys

import minigrad as mg

mg.watch("held.py", browser=False, breakpoints=sys.argv[1:])
w1 = mg.tensor([[0.5, -0.3], [0.2, 0.8]], requires_grad=True)
w2 = mg.tensor([[1.0], [-1.5]], requires_grad=True)
x = mg.tensor([[1.0, 2.0], [3.0, -1.0]])
step = 0
while True:
    hidden = mg.tanh(x @ w1)
    loss = ((hidden @ w2) ** 2).sum()
    loss.backward()
    with mg.no_grad():
        for w in (w1, w2):
            w -= 0.01 * w.grad
            w.grad = None
    print(step, flush=True)
    step += 1
