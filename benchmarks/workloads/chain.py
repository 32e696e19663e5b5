"""The cost of an op: a long chain of the smallest ones, forward and backward."""

from __future__ import annotations

from typing import Any

from ..libraries import sides_of
from ..row import Row

LENGTH = 1000


def additions(xp: Any, x: Any, c: Any) -> Any:
    """x + c + c + ..."""
    for _ in range(LENGTH):
        x = x + c
    return x.sum()


def products(xp: Any, x: Any, c: Any) -> Any:
    """x c c ..."""
    for _ in range(LENGTH):
        x = x * c
    return x.sum()


def data(size: int) -> Any:
    """x, and the constant."""
    import numpy as np

    return [np.full(size, 1.5, "float32")], [np.full(size, 1.0001, "float32")]


ROWS = [
    Row(
        "chain1",
        "1,000 additions on a tensor of one element, forward and backward",
        sides_of(additions, lambda: data(1)),
        {"torch": 0.75, "autograd": 0.25, "mygrad": 0.25},
    ),
    Row(
        "chain1000",
        "1,000 additions on a tensor of 1,000 elements, forward and backward",
        sides_of(additions, lambda: data(1000)),
        {"torch": 0.75, "autograd": 0.25, "mygrad": 0.25},
    ),
    Row(
        "mulchain1",
        "1,000 products with a constant on a tensor of one element, forward and backward",
        sides_of(products, lambda: data(1)),
        {"torch": 0.75},
    ),
]
