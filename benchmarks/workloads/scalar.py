"""A graph of 10,000 scalars, as micrograd is made for: 100 rows of 50 products and sums, forward and backward.

It is wide rather than deep, because micrograd uses recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..libraries import torchlike
from ..row import Row, Step

ROWS_OF_NODES, LENGTH = 100, 50


def graph(leaf: Callable[[float], Any], clear: Callable[[Any], None]) -> Step:
    """The step, given a function that makes a leaf of a number."""
    weights = [leaf(0.9 + 0.001 * i) for i in range(LENGTH)]
    shift = leaf(0.01)
    starts = [leaf(0.1 * i) for i in range(ROWS_OF_NODES)]
    leaves = [*weights, shift, *starts]

    def step() -> Any:
        for each in leaves:
            clear(each)
        total = None
        for value in starts:
            for weight in weights:
                value = value * weight + shift
            total = value if total is None else total + value
        total.backward()  # type: ignore[union-attr]
        return total

    return step


def tensors(name: str) -> Step:
    """minigrad or PyTorch."""
    library = torchlike(name)

    def clear(leaf: Any) -> None:
        leaf.grad = None

    return graph(lambda number: library.tensor(number, requires_grad=True), clear)


class _Number:
    """micrograd's value, as a number: for `float`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __float__(self) -> float:
        return float(self.value.data)


def with_micrograd() -> Step:
    """micrograd."""
    from micrograd.engine import Value

    def clear(leaf: Any) -> None:
        leaf.grad = 0

    step = graph(Value, clear)
    return lambda: _Number(step())


ROWS = [
    Row(
        "scalar",
        "a graph of 10,000 scalar nodes, forward and backward",
        {"minigrad": lambda: tensors("minigrad"), "micrograd": with_micrograd, "torch": lambda: tensors("torch")},
        {"micrograd": 1.0},
    )
]
