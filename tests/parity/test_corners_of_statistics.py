"""Histograms, quantiles, scatters and starts at the edge of what they take, as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "endless range": (lambda lib: lib.histogram(lib.arange(4.0), 3, range=(0.0, math.inf)), "is not finite"),
    "endless numbers": (lambda lib: lib.histogram(lib.tensor([1.0, math.inf]), 3), "is not finite"),
    "range upside down": (lambda lib: lib.histogram(lib.arange(4.0), 3, range=(2.0, 1.0)), "min should not exceed max"),
    "weights in another dtype": (
        lambda lib: lib.histogram(lib.arange(4.0), 3, weight=lib.ones(4, dtype=lib.float64)), "same dtype"
    ),
    "edges in another dtype": (
        lambda lib: lib.histogram(lib.arange(4.0), lib.tensor([0.0, 2.0], dtype=lib.float64)), "same dtype"
    ),
    "a grid of weights in another dtype": (
        lambda lib: lib.histogramdd(lib.ones(4, 2), [2, 2], weight=lib.ones(4, dtype=lib.float64)), "same dtype"
    ),
    "a share in another dtype": (
        lambda lib: lib.quantile(lib.arange(4.0), lib.tensor(0.5, dtype=lib.float64)), "q tensor must be same dtype"
    ),
}  # fmt: skip


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_give_a_number_without_a_meaning_is_refused(name: str, lib: Any) -> None:
    call, words = REFUSED[name]
    with pytest.raises(RuntimeError, match=words):
        call(lib)


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_an_empty_index_of_one_dimension_writes_nothing(lib: Any) -> None:
    x, nothing = lib.ones(3, 2, requires_grad=True), lib.tensor([], dtype=lib.int64)
    result = x.scatter(0, nothing, lib.ones(3, 2))
    result.sum().backward()
    assert result.tolist() == x.grad.tolist() == [[1.0, 1.0]] * 3
    start = lib.zeros(3, 2)
    assert start.scatter_(1, nothing, 5.0) is start
    assert not start.any()


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_an_orthogonal_start_of_nothing_is_nothing(lib: Any, shape: tuple[int, int]) -> None:
    empty = lib.empty(*shape)
    assert lib.nn.init.orthogonal_(empty) is empty
