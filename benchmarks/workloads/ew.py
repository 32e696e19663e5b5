"""Large elementwise work: the sum of tanh x exp x over 4,000,000 elements, and its gradient."""

from __future__ import annotations

from typing import Any

from ..libraries import sides_of
from ..row import Row, Step

SIZE = 4_000_000


def data() -> Any:
    """x"""
    import numpy as np

    return [np.random.default_rng(0).standard_normal(SIZE).astype("float32")], []


def function(xp: Any, x: Any) -> Any:
    """Σ tanh x exp x"""
    return (xp.tanh(x) * xp.exp(x)).sum()


def by_hand() -> Step:
    """NumPy alone, with y = t e and dy/dx = e (1 - t²) + t e."""
    import numpy as np

    (x,), _ = data()

    def step() -> Any:
        t = np.tanh(x)
        e = np.exp(x)
        y = t * e
        loss = y.sum()
        grad = e * (1 - t * t)
        grad += y
        return loss

    return step


_SIDES = sides_of(function, data)
ROWS = [
    Row(
        "ew",
        "tanh, exp, product, sum on 4,000,000 elements, forward and backward",
        {"minigrad": _SIDES.pop("minigrad"), "numpy": by_hand, **_SIDES},
        {"numpy": 1.3, "torch": 1.0},
        threaded=True,
    )
]
