"""Counts, offsets and powers that are no whole numbers: refused by both libraries, here with the name of the argument."""

from __future__ import annotations

import math
from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import MinigradError

torch = pytest.importorskip("torch")

CALLS: dict[str, tuple[Any, str]] = {
    "matrix_power": (lambda lib: (lib.eye(3) * 2,), "n"),
    "kthvalue": (lambda lib: (lib.arange(6.0),), "k"),
    "topk": (lambda lib: (lib.arange(6.0),), "k"),
    "tril": (lambda lib: (lib.ones(3, 3),), "diagonal"),
    "triu": (lambda lib: (lib.ones(3, 3),), "diagonal"),
    "diag": (lambda lib: (lib.ones(3, 3),), "diagonal"),
    "diagonal": (lambda lib: (lib.ones(3, 3),), "offset"),
    "diag_embed": (lambda lib: (lib.ones(3),), "offset"),
    "rot90": (lambda lib: (lib.ones(3, 3),), "k"),
    "linspace": (lambda lib: (0, 1), "steps"),
    "logspace": (lambda lib: (0, 1), "steps"),
    "histc": (lambda lib: (lib.arange(6.0),), "bins"),
    "bincount": (lambda lib: (lib.tensor([0, 1, 1]),), "minlength"),
    "combinations": (lambda lib: (lib.arange(4.0),), "r"),
    "vander": (lambda lib: (lib.arange(4.0),), "N"),
    "diff": (lambda lib: (lib.arange(6.0),), "n"),
    "round": (lambda lib: (lib.arange(6.0),), "decimals"),
    "chunk": (lambda lib: (lib.arange(6.0),), "chunks"),
    "randperm": (lambda lib: (), "n"),
    "multinomial": (lambda lib: (lib.ones(6),), "num_samples"),
    "eye": (lambda lib: (3,), "m"),
    "hann_window": (lambda lib: (), "window_length"),
}
NO_COUNTS = [2.5, "2", (1, 2), [], math.nan, math.inf, -1e20, object()]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_count_is_refused_by_its_name(name: str) -> None:
    arguments, argument = CALLS[name]
    for value in NO_COUNTS:
        with pytest.raises((TypeError, RuntimeError, ValueError)):
            getattr(torch, name)(*arguments(torch), **{argument: value})
        with pytest.raises(MinigradError, match=f"^{argument} must be one int, got ") as caught:
            getattr(mg, name)(*arguments(mg), **{argument: value})
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_numbers_that_are_none_are_no_norms(lib: Any) -> None:
    x = lib.ones(2, 2)
    with pytest.raises(RuntimeError, match="non-negative p"):
        lib.cdist(x, x, p=-1.0)
    with pytest.raises(RuntimeError, match="maxnorm to be >= 0 but got nan"):
        lib.renorm(x, 2, 0, math.nan)
    with pytest.raises(RuntimeError, match="std >= 0.0, but found std nan"):
        lib.normal(x, math.nan)


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_any_and_all_over_no_dimension_keep_each_element(lib: Any) -> None:
    x = lib.tensor([[1.0, 0.0], [2.0, 3.0]])
    assert lib.any(x, dim=()).tolist() == lib.all(x, dim=()).tolist() == [[True, False], [True, True]]
