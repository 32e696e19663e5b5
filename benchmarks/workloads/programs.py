"""Programs as users write them: modules, an optimiser, a loss, a loader, at the sizes of tutorials.

Each is written once, for both libraries, and one call of its step is a step of training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..libraries import filled, torchlike
from ..row import Row, Step

VOCABULARY, EMBEDDED, HIDDEN, STEPS, BATCH = 1000, 64, 64, 35, 8

Program = Callable[[Any], Step]
"""Given a library, makes the step."""


def integers(library: Any, high: int, *shape: int, seed: int = 1) -> Any:
    """Whole numbers below `high`."""
    import numpy as np

    return library.tensor(np.random.default_rng(seed).integers(0, high, shape))


def normal(library: Any, *shape: int, seed: int = 1) -> Any:
    """Normal numbers."""
    import numpy as np

    return library.tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def training(library: Any, model: Any, optimizer: Any, batches: Iterator[Any], loss_of: Callable[..., Any]) -> Step:
    """A step: the next batch, its loss, the gradients, the optimiser."""

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of(model, *next(batches))
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def forever(*batch: Any) -> Iterator[Any]:
    """The same batch, again and again."""
    while True:
        yield batch


def cross_entropy(library: Any) -> Callable[..., Any]:
    """The loss of a classifier, or of a model that predicts the next token."""

    def loss_of(model: Any, x: Any, y: Any) -> Any:
        scores = model(x)
        return library.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))

    return loss_of


def language_model(kind: str, layers: int) -> Program:
    """A word model: embedding, a recurrent net, a linear layer."""

    def make(library: Any) -> Step:
        nn = library.nn

        class Words(nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.embedding = nn.Embedding(VOCABULARY, EMBEDDED)
                self.net = getattr(nn, kind)(EMBEDDED, HIDDEN, layers)
                self.head = nn.Linear(HIDDEN, VOCABULARY)

            def forward(self, tokens: Any) -> Any:
                found, _ = self.net(self.embedding(tokens))
                return self.head(found)

        model = filled(Words(), library)
        x, y = (integers(library, VOCABULARY, STEPS, BATCH, seed=seed) for seed in (1, 2))
        optimizer = library.optim.SGD(model.parameters(), lr=0.1)
        return training(library, model, optimizer, forever(x, y), cross_entropy(library))

    return make


def names(library: Any) -> Step:
    """makemore's net: three previous letters, 10 numbers each, 200 hidden units, batch norm, tanh."""
    nn = library.nn
    model = nn.Sequential(
        nn.Embedding(27, 10), nn.Flatten(), nn.Linear(30, 200), nn.BatchNorm1d(200), nn.Tanh(), nn.Linear(200, 27)
    )
    filled(model, library)
    optimizer = library.optim.SGD(model.parameters(), lr=0.1)
    batch = integers(library, 27, 32, 3), integers(library, 27, 32, seed=2)
    return training(library, model, optimizer, forever(*batch), cross_entropy(library))


def cell_loop(library: Any) -> Step:
    """Letters by a recurrent cell in a loop: 16 of them, 32 words at a time."""
    nn = library.nn

    class Letters(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.cell, self.head = nn.Embedding(27, 32), nn.GRUCell(32, 64), nn.Linear(64, 27)

        def forward(self, tokens: Any) -> Any:
            state, found = None, []
            for each in self.embedding(tokens).unbind(1):
                state = self.cell(each, state)
                found.append(state)
            return self.head(library.stack(found, 1))

    model = filled(Letters(), library)
    optimizer = library.optim.Adam(model.parameters(), lr=1e-3)
    batch = integers(library, 27, 32, 16), integers(library, 27, 32, 16, seed=2)
    return training(library, model, optimizer, forever(*batch), cross_entropy(library))


def digits(library: Any) -> Step:
    """Pictures from a loader, two 3x3 convolutions with batch norm, pools, dropout, Adam."""
    nn, data = library.nn, library.utils.data
    library.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.25), nn.Linear(32 * 49, 10),
    )  # fmt: skip
    filled(model, library)
    pictures = data.TensorDataset(normal(library, 512, 1, 28, 28), integers(library, 10, 512))
    optimizer = library.optim.Adam(model.parameters(), lr=1e-3)
    return training(library, model, optimizer, epochs(data.DataLoader(pictures, 32)), cross_entropy(library))


def epochs(loader: Any) -> Iterator[Any]:
    """The batches of a loader, epoch after epoch."""
    while True:
        yield from loader


def loaded(library: Any) -> Step:
    """A net of 20-64-64-2 with dropout, batches of 32 from a loader that shuffles, AdamW."""
    nn, data = library.nn, library.utils.data
    library.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 2)
    )
    filled(model, library)
    rows = data.TensorDataset(normal(library, 1024, 20), integers(library, 2, 1024))
    optimizer = library.optim.AdamW(model.parameters(), lr=1e-3)
    return training(library, model, optimizer, epochs(data.DataLoader(rows, 32, shuffle=True)), cross_entropy(library))


def transformer(library: Any) -> Step:
    """`nn.TransformerEncoder` of two layers, width 64, 4 heads, over 32 tokens, batch 16, Adam."""
    nn = library.nn
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.Embedding(100, 64), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False))
    model.append(nn.Linear(64, 100))
    filled(model, library)
    optimizer = library.optim.Adam(model.parameters(), lr=1e-3)
    batch = integers(library, 100, 16, 32), integers(library, 100, 16, 32, seed=2)
    return training(library, model, optimizer, forever(*batch), cross_entropy(library))


def per_sample(library: Any) -> Step:
    """The gradient of each of 64 samples, by ``vmap(grad(loss))`` of a small net."""
    nn, func = library.nn, library.func
    model = filled(nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 5)), library)
    weights = {name: each.detach() for name, each in model.named_parameters()}
    x, y = normal(library, 64, 20), integers(library, 5, 64)

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        return nn.functional.cross_entropy(func.functional_call(model, weights, (x.unsqueeze(0),)), y.unsqueeze(0))

    each = func.vmap(func.grad(loss_of), in_dims=(None, 0, 0))
    return lambda: each(weights, x, y)["0.weight"].square().sum().item()


def tiny(library: Any) -> Step:
    """A net of 64-64-64-10, tanh, batch 32, Adam, which measures the overhead of a step."""
    nn = library.nn
    model = filled(
        nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10)), library
    )
    optimizer = library.optim.Adam(model.parameters(), lr=1e-3)
    return training(
        library, model, optimizer, forever(normal(library, 32, 64), integers(library, 10, 32)), cross_entropy(library)
    )


def smallest(library: Any) -> Step:
    """A line fitted to 16 points with SGD: a tutorial's first loop."""
    nn = library.nn
    model = filled(nn.Linear(1, 1), library)
    optimizer = library.optim.SGD(model.parameters(), lr=0.01)
    x = normal(library, 16, 1)
    return training(
        library, model, optimizer, forever(x, x * 2 + 1), lambda model, x, y: nn.functional.mse_loss(model(x), y)
    )


def _side(program: Program, name: str) -> Callable[[], Step]:
    return lambda: program(torchlike(name))


def _row(name: str, program: Program, what: str, target: float, agree: bool = True) -> Row:
    sides = {library: _side(program, library) for library in ("minigrad", "torch")}
    return Row(name, what, sides, {"torch": target}, agree=agree, threaded=True)


ROWS = [
    _row("lstm", language_model("LSTM", 2), "a word model, nn.LSTM of 2 layers of 64, 35 steps, batch 8, SGD", 1.3),
    _row("gru", language_model("GRU", 2), "the same with nn.GRU", 1.3),
    _row("rnn", language_model("RNN", 1), "the same with one layer of nn.RNN", 1.3),
    _row("cells", cell_loop, "nn.GRUCell in a loop of 16 letters, batch 32, Adam", 1.3),
    _row("names", names, "makemore: embedding, linear, batch norm, tanh, linear, batch 32, SGD", 1.3),
    _row("digits", digits, "DataLoader, two convolutions with batch norm, dropout, Adam, batch 32", 1.0, agree=False),
    _row("loader", loaded, "DataLoader that shuffles, 20-64-64-2 with dropout, AdamW, batch 32", 1.0, agree=False),
    _row("transformer", transformer, "nn.TransformerEncoder, 2 layers of 64, 32 tokens, batch 16, Adam", 1.0),
    _row("per-sample", per_sample, "vmap(grad(loss)) over 64 samples of a 20-32-5 net", 1.0),
    _row("adam", tiny, "64-64-64-10, tanh, batch 32, Adam: the cost of a small step", 0.8),
    _row("line", smallest, "a line fitted to 16 points, SGD: the smallest step", 0.8),
]
