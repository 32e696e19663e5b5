"""The two-layer net of the PyTorch tutorial, first written in NumPy, translated line by line."""

import argparse
import sys

import numpy as np

import minigrad as mg

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
parser.add_argument("--fail-at", type=int)
args = parser.parse_args()

rng = np.random.default_rng(0)
x = mg.from_numpy(rng.standard_normal((16, 10)))
y = mg.from_numpy(rng.standard_normal((16, 3)))
w1 = mg.tensor(rng.standard_normal((10, 8)), requires_grad=True)
w2 = mg.tensor(rng.standard_normal((8, 3)), requires_grad=True)

for t in range(args.steps):
    if t == args.fail_at:
        raise ValueError(f"asked to fail at step {t}")
    h = (x @ w1).clamp(min=0)
    y_pred = h @ w2
    loss = (y_pred - y).pow(2).sum()
    print(t, round(loss.item(), 3))

    loss.backward()
    with mg.no_grad():
        w1 -= 1e-3 * w1.grad
        w2 -= 1e-3 * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()

sys.exit(0 if np.isfinite(w1.detach().numpy()).all() else 3)
