"""Measure whether an op costs the same in a long program: microseconds per op, in chains of 1,000 to 1,000,000 ops."""

from __future__ import annotations

import time

from ..libraries import torchlike
from ..row import Maker, Row

LENGTHS = (1_000, 10_000, 100_000, 1_000_000)


def chain_of(length: int) -> Maker:
    """A step that returns microseconds an op."""

    def make() -> object:
        library = torchlike("minigrad")
        x = library.ones(1, requires_grad=True)
        c = library.ones(1)

        def step() -> float:
            x.grad = None
            start = time.process_time()
            y = x
            for _ in range(length):
                y = y + c
            y.backward()
            return (time.process_time() - start) / length * 1e6

        return step

    return make  # type: ignore[return-value]


def _rows() -> list[Row]:
    shortest = LENGTHS[0]
    return [
        Row(
            f"growth-{length:.0e}".replace("e+0", "e"),
            f"a chain of {length:,} ops against one of {shortest:,}: time an op",
            {"minigrad": chain_of(length), f"{shortest:,} ops": chain_of(shortest)},
            {f"{shortest:,} ops": 1.3},
            unit="µs/op",
            agree=False,
            rounds=5,
        )
        for length in LENGTHS[1:]
    ]


ROWS = _rows()
