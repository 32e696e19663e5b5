"""A Hessian-vector product of a 64-wide tanh layer: a gradient of a gradient."""

from __future__ import annotations

from typing import Any

from ..libraries import torchlike
from ..row import Row, Step

WIDTH = 64


def twice(name: str) -> Step:
    """minigrad or PyTorch."""
    import numpy as np

    library = torchlike(name)
    random = np.random.default_rng(0)
    w = library.tensor((random.standard_normal((WIDTH, WIDTH)) / 8).astype("float32"))
    v = library.tensor(random.standard_normal(WIDTH).astype("float32"))
    x = library.tensor(random.standard_normal(WIDTH).astype("float32"), requires_grad=True)

    def step() -> Any:
        loss = library.tanh(x @ w).sum()
        (slope,) = library.autograd.grad(loss, x, create_graph=True)
        (product,) = library.autograd.grad(slope @ v, x)
        return product.sum()

    return step


def with_autograd() -> Step:
    """HIPS autograd."""
    import autograd
    import autograd.numpy as np

    random = np.random.default_rng(0)
    w = (random.standard_normal((WIDTH, WIDTH)) / 8).astype("float32")
    v = random.standard_normal(WIDTH).astype("float32")
    x = random.standard_normal(WIDTH).astype("float32")
    slope = autograd.grad(lambda x: np.sum(np.tanh(np.dot(x, w))))
    product = autograd.grad(lambda x: np.dot(slope(x), v))
    return lambda: product(x).sum()


ROWS = [
    Row(
        "hvp",
        "Hessian-vector product of a 64-wide tanh layer",
        {"minigrad": lambda: twice("minigrad"), "torch": lambda: twice("torch"), "autograd": with_autograd},
        {"torch": 1.2},
    )
]
