"""Two 5x5 convolutions, each with a pool, on 28x28 pictures, batch 64: forward, backward, and a step of SGD."""

from __future__ import annotations

from typing import Any

from ..libraries import filled, torchlike
from ..row import Row, Step

BATCH = 64


def training(name: str) -> Step:
    """A step of training."""
    import numpy as np

    library = torchlike(name)
    nn = library.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(256, 10),
    )  # fmt: skip
    filled(model, library)
    optimizer = library.optim.SGD(model.parameters(), lr=0.01)
    random = np.random.default_rng(1)
    x = library.tensor(random.standard_normal((BATCH, 1, 28, 28)).astype("float32"))
    y = library.tensor(random.integers(0, 10, BATCH))

    def step() -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


ROWS = [
    Row(
        "cnn",
        "two 5x5 convolutions (8 and 16 channels) and pools, 28x28, batch 64: forward, backward, SGD",
        {"minigrad": lambda: training("minigrad"), "torch": lambda: training("torch")},
        {"torch": 1.0},
        threaded=True,
    )
]
