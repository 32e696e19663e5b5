"""Measure what watching costs PyTorch: a small net and a GPT, recorded to a file, against the same not watched.

`values` is "auto", as in ``minigrad run train.py``. As in `recorded` the seconds that are free for short programs are
set to 0, and the recorder's thread is included. Each way of recording a step occurs within a few turns.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..libraries import torchlike
from ..row import Maker, Row, Step
from . import mlp
from .recorded import timed

LAYERS, WIDTH, HEADS, TOKENS, BATCH, VOCABULARY = 6, 256, 8, 128, 4, 65

AT_A_TIME = {"mlp": 200, "gpt": 10}
"""Steps of a turn."""


def gpt() -> Step:
    """A step of training of a GPT: pre-norm blocks, causal attention, AdamW."""
    torch = torchlike("torch")
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x: Any) -> Any:
            parts = self.qkv(self.norm1(x)).split(WIDTH, dim=2)
            q, k, v = (each.view(BATCH, TOKENS, HEADS, -1).transpose(1, 2) for each in parts)
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH))
            return x + self.mlp(self.norm2(x))

    class GPT(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(TOKENS, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.position(torch.arange(TOKENS))
            return self.head(self.norm(self.blocks(x)))

    torch.manual_seed(0)
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    text = torch.randint(0, VOCABULARY, (BATCH, TOKENS + 1))

    def step() -> Any:
        scores = model(text[:, :-1])
        loss = nn.functional.cross_entropy(scores.reshape(-1, VOCABULARY), text[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


WORKS: dict[str, Callable[[], Step]] = {"mlp": lambda: mlp.with_modules("torch"), "gpt": gpt}


def unwatched(name: str) -> Maker:
    """Milliseconds of a step that is not watched."""
    return lambda: timed(WORKS[name](), AT_A_TIME[name])


def watched(name: str) -> Maker:
    """Milliseconds of a step that is watched."""

    def make() -> Step:
        from minigrad.observe.record import sampling
        from minigrad.observe.torch import record, source

        sampling.FREE = sampling.FREE_NUMBERS = source.FREE = 0.0
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return timed(WORKS[name](), AT_A_TIME[name], record(Path(folder, "run.jsonl")).start())

    return make


def _row(name: str, what: str, rounds: int) -> Row:
    return Row(
        f"torch-watched-{name}",
        f"{what} in PyTorch, watched, values auto, against not watched: CPU time of the program, a step",
        {"minigrad": watched(name), "not watched": unwatched(name)},
        {"not watched": 1.5},
        unit="ms/step",
        agree=False,
        rounds=rounds,
    )


ROWS = [
    _row("mlp", "784-256-128-10, batch 128, SGD", 15),
    _row("gpt", f"6 layers, width {WIDTH}, {BATCH} x {TOKENS} tokens, AdamW", 10),
]
