"""Random calls, functions, programs and trainings give the same numbers on both libraries."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch", reason="the hunt compares with PyTorch: pip install 'minigrad[parity]'")

from .__main__ import ROOMS, hunt
from .compare import Case, differences
from .draw import Recipe
from .known import KNOWN

pytestmark = pytest.mark.parity
COUNT = int(os.environ.get("MINIGRAD_HUNT", "3000"))


@pytest.mark.hunt
@pytest.mark.parametrize("room", sorted(ROOMS))
@pytest.mark.parametrize("seed", range(4))
def test_a_long_hunt_finds_no_difference_that_is_not_in_the_table(room: str, seed: int) -> None:
    _, _, found = hunt(room, COUNT, seed)
    assert not found, "\n".join(f"{room} {place} {each}" for place, each in found[:10])


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_short_hunt_finds_no_difference_that_is_not_in_the_table(room: str) -> None:
    compared, _, found = hunt(room, 60, 0)
    assert compared >= 60
    assert not found, "\n".join(f"{room} {place} {each}" for place, each in found[:10])


def test_the_hunt_finds_a_wrong_gradient() -> None:
    import numpy as np
    import torch

    def wrong(lib, x):  # type: ignore[no-untyped-def]
        return x * x if lib is torch else x * x.detach()

    case = Case("square", [Recipe(np.array([1.0, 2.0]), "float64", "plain")], wrong)
    (difference,) = differences(case, torch)[1]
    assert difference.what == "gradient 0"


def test_every_known_difference_has_a_row_in_the_table() -> None:
    from pathlib import Path

    import minigrad as mg

    table = (Path(mg.__file__).parent / "autograd" / "DIFFERENCES.md").read_text(encoding="utf-8")
    missing = [heading for heading in KNOWN if f"| {heading} |" not in table and heading not in table]
    assert not missing
