"""Indices that no tensor takes: both libraries raise the same kind of error, with the words that programs look for."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def assign(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def delete(x: Any) -> None:
    del x[0]


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a slice by words": (lambda lib: lib.zeros(4, 4)["0":"1"], TypeError, "slice indices must be integers"),
    "a slice by floats": (lambda lib: lib.zeros(4, 4)[0.0:2.0], TypeError, "slice indices must be integers"),
    "an item to delete": (lambda lib: delete(lib.zeros(3)), TypeError, "does not support deleting items"),
    "a number for no dimension": (lambda lib: lib.tensor(1.0)[0], IndexError, "invalid index of a 0-dim tensor"),
    "a slice of no dimension": (lambda lib: lib.tensor(1.0)[:], IndexError, r"slice\(\) cannot be applied to a 0-dim"),
    "a slice written to no dimension": (
        lambda lib: assign(lib.tensor(1.0), slice(None), 2.0),
        IndexError,
        r"slice\(\) cannot be applied to a 0-dim",
    ),
    "two numbers for no dimension": (lambda lib: lib.tensor(1.0)[0, 1], IndexError, "too many indices for tensor"),
    "a place in an empty dimension": (
        lambda lib: lib.zeros(3, 0)[:, [0, 1]],
        IndexError,
        "index is out of bounds for dimension with size 0",
    ),
    "no index to write at": (lambda lib: lib.ones(()).index_put([], lib.tensor([1.0])), RuntimeError, "."),
    "too few values for a mask": (
        lambda lib: assign(lib.arange(4.0), lib.arange(4) >= 0, lib.ones(3)),
        RuntimeError,
        r"shape mismatch: value tensor of shape \[3\] cannot be broadcast to indexing result of shape \[4\]",
    ),
    "too many rows for two indices": (
        lambda lib: assign(lib.zeros(4, 4), lib.tensor([0, 1]), lib.ones(3, 4)),
        RuntimeError,
        r"shape mismatch: value tensor of shape \[3, 4\] cannot be broadcast to indexing result of shape \[2, 4\]",
    ),
    "values between two indices": (
        lambda lib: lib.zeros(2, 3, 4, 5).index_put((lib.tensor([0, 1]), lib.tensor([[0], [1]])), lib.ones(3, 5)),
        RuntimeError,
        r"value tensor of shape \[3, 5\] cannot be broadcast to indexing result of shape \[2, 2, 4, 5\]",
    ),
    "indices apart": (
        lambda lib: assign(
            lib.zeros(2, 3, 4, 5), (lib.tensor([0, 1]), slice(None), lib.tensor([[0], [1]])), lib.ones(2, 3, 3, 5)
        ),
        RuntimeError,
        r"value tensor of shape \[2, 3, 3, 5\] cannot be broadcast to indexing result of shape \[2, 2, 3, 5\]",
    ),
}


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
@pytest.mark.parametrize("case", REFUSED)
def test_an_index_is_refused_in_the_same_words(lib: Any, case: str) -> None:
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call(lib)


def test_values_with_more_dimensions_of_one_are_written() -> None:
    for lib in (mg, torch):
        x = lib.zeros(2, 3, 4)
        x[:, lib.tensor([0, 2]), lib.tensor([1, 1])] = lib.ones(1, 1, 2, 2)
        assert x.sum().item() == 4.0
