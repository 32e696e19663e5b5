"""A small transformer: 2 layers, width 128, 4 heads, 64 tokens, batch 16; forward, backward, and a step of SGD."""

from __future__ import annotations

from typing import Any

from ..libraries import filled, torchlike
from ..row import Row, Step

LAYERS, WIDTH, HEADS, TOKENS, BATCH, VOCABULARY = 2, 128, 4, 64, 16, 65


def model_of(library: Any) -> Any:
    """The model, written once."""
    nn, F = library.nn, library.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(WIDTH)
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.out = nn.Linear(WIDTH, WIDTH)
            self.norm2 = nn.LayerNorm(WIDTH)
            self.up = nn.Linear(WIDTH, 4 * WIDTH)
            self.down = nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            batch, tokens, width = x.shape
            qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, width // HEADS)
            q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
            gathered = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(gathered.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(VOCABULARY, WIDTH)
            self.position = nn.Embedding(TOKENS, WIDTH)
            self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, VOCABULARY)

        def forward(self, tokens: Any, places: Any) -> Any:
            x = self.token(tokens) + self.position(places)
            return self.head(self.norm(self.blocks(x)))

    return filled(GPT(), library)


def data(library: Any) -> tuple[Any, Any, Any]:
    """Tokens, their places, and the tokens to predict."""
    import numpy as np

    text = np.random.default_rng(1).integers(0, VOCABULARY, (BATCH, TOKENS + 1))
    return library.tensor(text[:, :-1]), library.arange(TOKENS), library.tensor(text[:, 1:].copy())


def forward_and_backward(name: str) -> tuple[Any, Step]:
    """The model, and the function that computes its gradients."""
    library = torchlike(name)
    model = model_of(library)
    tokens, places, targets = data(library)

    def run() -> Any:
        scores = model(tokens, places)
        loss = library.nn.functional.cross_entropy(scores.view(-1, VOCABULARY), targets.view(-1))
        loss.backward()
        return loss

    return model, run


def training(name: str) -> Step:
    """A step of training."""
    model, run = forward_and_backward(name)
    optimizer = torchlike(name).optim.SGD(model.parameters(), lr=0.01)

    def step() -> Any:
        optimizer.zero_grad()
        loss = run()
        optimizer.step()
        return loss

    return step


ROWS = [
    Row(
        "gpt",
        "2 layers, width 128, 4 heads, 64 tokens, batch 16: forward, backward, SGD",
        {"minigrad": lambda: training("minigrad"), "torch": lambda: training("torch")},
        {"torch": 1.0},
        threaded=True,
    )
]
