"""The record has the loss and the norm of every step, whatever the loop, and however a step is recorded."""

from __future__ import annotations

import random

import pytest

import minigrad as mg

from .helpers import of_type, recorded, sample
from .training.generated import Step, loop

SEEDS = range(120)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_has_its_loss_and_its_norm(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    sample(monkeypatch, lambda: chance.choice(["whole", "numbers", "loss"]))
    known: list[Step] = []
    records = recorded(lambda: known.extend(loop(mg, seed)), values="auto")
    taken = of_type(records, "step_taken")
    assert [each["optimizer"] for each in taken] == [step.optimizer for step in known]
    assert [each["loss"] for each in taken] == pytest.approx([step.loss for step in known], rel=1e-6)
    assert [each["grad_norm"] for each in taken] == pytest.approx([step.norm for step in known], rel=1e-5)
