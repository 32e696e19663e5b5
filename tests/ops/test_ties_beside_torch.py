"""Which of equal elements is picked: PyTorch's, where it picks by a rule; everywhere, by a rule of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

AS_PYTORCH: dict[str, tuple[Callable[[Any], Any], int]] = {
    "mode": (lambda x: x.mode(1), 16),
    "median": (lambda x: x.median(1), 100),
    "nanmedian": (lambda x: x.nanmedian(1), 100),
    "max": (lambda x: x.max(1), 100),
    "min": (lambda x: x.min(1), 100),
    "stable sort": (lambda x: x.sort(dim=1, stable=True), 100),
    "the single largest of many": (lambda x: x.topk(1, 1), 100),
}
"""What is picked, and of how many elements PyTorch's choice is a simple one."""


def rows_with_ties(size: int) -> Any:
    return np.random.default_rng(size).integers(0, 4, (50, size)).astype("float32")


@pytest.mark.parity
@pytest.mark.parametrize("name", AS_PYTORCH)
def test_the_place_among_equals_is_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    pick, size = AS_PYTORCH[name]
    rows = rows_with_ties(size).tolist()
    ours, theirs = pick(mg.tensor(rows)), pick(torch.tensor(rows))
    assert ours.values.tolist() == theirs.values.tolist()
    assert ours.indices.tolist() == theirs.indices.tolist()


@pytest.mark.parametrize("largest", [True, False])
def test_topk_takes_the_first_of_equals_first(largest: bool) -> None:
    rows = rows_with_ties(20)
    order = np.argsort(-rows if largest else rows, axis=1, kind="stable")
    found = mg.tensor(rows.tolist()).topk(5, 1, largest)
    assert found.indices.tolist() == order[:, :5].tolist()


def test_kthvalue_counts_equals_in_order() -> None:
    rows = rows_with_ties(20)
    order = np.argsort(rows, axis=1, kind="stable")
    for k in (1, 7, 20):
        assert mg.tensor(rows.tolist()).kthvalue(k, 1).indices.tolist() == order[:, k - 1].tolist()
