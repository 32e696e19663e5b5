"""Measure how far this rank's clock is behind that of rank 0, which may be on another machine.

Rank 0 answers each rank in turn with its time. Of several questions the fastest counts: the answer was made at some
moment between question and answer, so half of that time is the largest error (Cristian 1989).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from .transport import Request, Transport

ROUNDS = 8
"""How many times each rank asks; the first times are slow."""
TAG = 11


def offset(transport: Transport, wait: Callable[[Request], None], clock: Callable[[], float] = time.time) -> float:
    """The seconds to add to this rank's `clock` to get that of rank 0.

    All ranks call it; `wait` waits for a request.
    """
    if transport.rank == 0:
        for rank in range(1, transport.size):
            _answer(transport, wait, clock, rank)
        return 0.0
    return _ask(transport, wait, clock)


def _answer(transport: Transport, wait: Callable[[Request], None], clock: Callable[[], float], rank: int) -> None:
    question = np.zeros(1)
    for _ in range(ROUNDS):
        wait(transport.receive(question, rank, TAG))
        wait(transport.send(np.array([clock()]), rank, TAG))


def _ask(transport: Transport, wait: Callable[[Request], None], clock: Callable[[], float]) -> float:
    answer = np.zeros(1)
    found = []
    for _ in range(ROUNDS):
        asked = clock()
        wait(transport.send(np.zeros(1), 0, TAG))
        wait(transport.receive(answer, 0, TAG))
        came = clock()
        found.append((came - asked, float(answer[0]) - (asked + came) / 2))
    return min(found)[1]
