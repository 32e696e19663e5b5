"""The record has the loss and the norm of every step, whatever the loop, and however a step is recorded."""

from __future__ import annotations

import random
from typing import Any

import pytest

import minigrad as mg

from .helpers import of_type, recorded, sample
from .training.generated import Step, loop

SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_has_its_loss_and_its_norm(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    sample(monkeypatch, lambda: chance.choice(["whole", "numbers", "loss"]))
    check(mg, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_so_has_every_step_of_pytorch_that_is_not_recorded_by_its_loss_alone(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from minigrad.observe.torch import TORCH

    chance = random.Random(seed)
    sample(monkeypatch, lambda: chance.choice(["whole", "numbers"]))
    check(torch, seed, framework=TORCH)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_of_pytorch_that_is_recorded_by_its_loss_has_no_other_loss(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch is left alone there. A net whose gradients `autograd.grad` returns has one step without a loss."""
    torch = pytest.importorskip("torch")
    from minigrad.observe.torch import TORCH, source

    monkeypatch.setattr(source, "FREE", -1.0)
    monkeypatch.setattr(source, "GLANCES_SHARE", 0.0)
    ways = iter(["whole", "whole"])
    sample(monkeypatch, lambda: next(ways, "loss"))
    known: list[Step] = []
    records = recorded(lambda: known.extend(loop(torch, seed)), values="auto", framework=TORCH)
    taken = of_type(records, "step_taken")
    assert [each["optimizer"] for each in taken] == [step.optimizer for step in known]
    said = [(each["loss"], step.loss) for each, step in zip(taken, known, strict=True) if each["loss"] is not None]
    assert [mine for mine, _ in said] == pytest.approx([true for _, true in said], rel=1e-6)
    assert len(taken) - len(said) <= 3
    assert [each["grad_norm"] for each in taken] == pytest.approx([step.norm for step in known], rel=1e-5)


def check(lib: Any, seed: int, **options: Any) -> None:
    known: list[Step] = []
    records = recorded(lambda: known.extend(loop(lib, seed)), values="auto", **options)
    taken = of_type(records, "step_taken")
    assert [each["optimizer"] for each in taken] == [step.optimizer for step in known]
    assert [each["loss"] for each in taken] == pytest.approx([step.loss for step in known], rel=1e-6)
    assert [each["grad_norm"] for each in taken] == pytest.approx([step.norm for step in known], rel=1e-5)
