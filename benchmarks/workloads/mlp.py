"""A net of three layers, 784-256-128-10, batch 128: forward, backward, and a step of gradient descent."""

from __future__ import annotations

from typing import Any

from ..libraries import filled, torchlike
from ..row import Row, Step

SIZES = (784, 256, 128, 10)
BATCH = 128
RATE = 0.05


def data() -> tuple[Any, Any]:
    """Random pictures and labels."""
    import numpy as np

    random = np.random.default_rng(1)
    return random.standard_normal((BATCH, SIZES[0])).astype("float32"), random.integers(0, SIZES[-1], BATCH)


def with_modules(name: str) -> Step:
    """minigrad or PyTorch, with modules, as a user would write it."""
    library = torchlike(name)
    nn = library.nn
    a, b, c, d = SIZES
    model = nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, c), nn.ReLU(), nn.Linear(c, d))
    filled(model, library)
    optimizer = library.optim.SGD(model.parameters(), lr=RATE)
    x, y = (library.tensor(each) for each in data())

    def step() -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def parameters() -> list[Any]:
    """The same starting weights, as arrays: w1, b1, w2, b2, w3, b3."""
    import numpy as np

    random = np.random.default_rng(0)
    found = []
    for rows, columns in zip(SIZES[1:], SIZES[:-1], strict=True):
        found.append((random.standard_normal((rows, columns)) / np.sqrt(columns)).astype("float32"))
        found.append(random.standard_normal(rows).astype("float32"))
    return found


def by_hand() -> Step:
    """NumPy alone, with gradients derived by hand."""
    import numpy as np

    w1, b1, w2, b2, w3, b3 = weights = parameters()
    x, y = data()
    rows = np.arange(BATCH)

    def step() -> Any:
        h1 = x @ w1.T + b1
        r1 = np.maximum(h1, 0)
        h2 = r1 @ w2.T + b2
        r2 = np.maximum(h2, 0)
        scores = r2 @ w3.T + b3
        shifted = scores - scores.max(1, keepdims=True)
        exp = np.exp(shifted)
        total = exp.sum(1, keepdims=True)
        loss = (np.log(total[:, 0]) - shifted[rows, y]).mean()

        d3 = exp / total
        d3[rows, y] -= 1
        d3 /= BATCH
        d2 = (d3 @ w3) * (h2 > 0)
        d1 = (d2 @ w2) * (h1 > 0)
        grads = (d1.T @ x, d1.sum(0), d2.T @ r1, d2.sum(0), d3.T @ r2, d3.sum(0))
        for weight, grad in zip(weights, grads, strict=True):
            weight -= RATE * grad
        return loss

    return step


def with_mygrad() -> Step:
    """MyGrad, which has the same loss."""
    import mygrad
    from mygrad.nnet.losses import softmax_crossentropy

    w1, b1, w2, b2, w3, b3 = weights = [mygrad.tensor(each) for each in parameters()]
    x, y = data()

    def step() -> Any:
        h = mygrad.maximum(mygrad.matmul(x, w1.T) + b1, 0)
        h = mygrad.maximum(mygrad.matmul(h, w2.T) + b2, 0)
        loss = softmax_crossentropy(mygrad.matmul(h, w3.T) + b3, y)
        loss.backward()
        for weight in weights:
            weight.data -= RATE * weight.grad
        return loss

    return step


def with_autograd() -> Step:
    """HIPS autograd."""
    import autograd
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    weights = parameters()
    x, y = data()
    rows = list(range(BATCH))

    def loss_of(weights: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = weights
        h = np.maximum(np.dot(x, w1.T) + b1, 0)
        h = np.maximum(np.dot(h, w2.T) + b2, 0)
        scores = np.dot(h, w3.T) + b3
        return np.mean(logsumexp(scores, axis=1) - scores[rows, y])

    run = autograd.value_and_grad(loss_of)

    def step() -> Any:
        loss, grads = run(weights)
        for weight, grad in zip(weights, grads, strict=True):
            weight -= (RATE * grad).astype("float32")
        return loss

    return step


ROWS = [
    Row(
        "mlp",
        "784-256-128-10, batch 128: forward, backward, SGD",
        {
            "minigrad": lambda: with_modules("minigrad"),
            "numpy": by_hand,
            "torch": lambda: with_modules("torch"),
            "autograd": with_autograd,
            "mygrad": with_mygrad,
        },
        {"numpy": 1.15, "torch": 0.95},
        threaded=True,
    )
]
