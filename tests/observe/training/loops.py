"""What these programs share: data, layers, and loops without a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

Loss = Callable[[Any, Any], Any]
STEPS = 6


def data(lib: Any, rows: int = 32, inputs: int = 6) -> tuple[Any, Any]:
    lib.manual_seed(0)
    return lib.randn(rows, inputs), lib.randn(rows, 1)


def layers(lib: Any, *sizes: int, activation: str = "ReLU") -> Any:
    made: list[Any] = []
    for inner, outer in pairwise(sizes):
        made += [lib.nn.Linear(inner, outer), getattr(lib.nn, activation)()]
    return lib.nn.Sequential(*made[:-1])


def fit(lib: Any, net: Any, predict: Callable[[Any], Any] | None = None, lr: float = 0.05, steps: int = STEPS) -> None:
    """A training loop without a fault."""
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=lr)
    for _ in range(steps):
        loss = lib.nn.functional.mse_loss((predict or net)(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def classes(lib: Any, rows: int = 32) -> tuple[Any, Any]:
    lib.manual_seed(0)
    x = lib.randn(rows, 6)
    return x, x[:, :3].argmax(1)


def train(
    lib: Any, parameters: Iterable[Any], loss_of: Callable[[], Any], lr: float = 0.005, steps: int = STEPS
) -> None:
    optimizer = lib.optim.Adam(list(parameters), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()


def classify(lib: Any, *last: Any, loss_of: Loss | None = None) -> None:
    lib.manual_seed(0)
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Linear(16, 3), *last)
    x, y = classes(lib)
    train(lib, net.parameters(), lambda: (loss_of or lib.nn.functional.cross_entropy)(net(x), y))
