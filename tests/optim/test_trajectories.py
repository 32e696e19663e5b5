"""Every optimiser goes where PyTorch's goes: step by step where it is installed, and to its written-down ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minigrad as mg

from .valley import OPTIMIZERS, trajectory

ENDS = Path(__file__).with_name("ends.json")
"""Where PyTorch 2.13's optimisers stood after 100 steps. Rewritten by ``python -m tests.optim.test_trajectories``."""


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_after_100_steps_it_stands_where_pytorch_stood(name: str) -> None:
    assert trajectory(mg, OPTIMIZERS[name])[-1] == pytest.approx(json.loads(ENDS.read_text())[name], abs=1e-6)


@pytest.mark.parity
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_it_goes_with_pytorch_step_by_step(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = trajectory(mg, OPTIMIZERS[name]), trajectory(torch, OPTIMIZERS[name])
    for step, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert one == pytest.approx(other, abs=1e-6), f"step {step}"


if __name__ == "__main__":
    import torch

    ENDS.write_text(
        json.dumps({name: trajectory(torch, make)[-1] for name, make in OPTIMIZERS.items()}, indent=1) + "\n"
    )
