"""Ranks whose clocks differ find out by how much."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minigrad.distributed import clock

Mail = dict[tuple[int, int], "queue.Queue[Any]"]


class Done:
    def __init__(self, take: Callable[[], None] | None = None) -> None:
        self.take = take


class Post:
    """Ranks that are threads of this process, and send each other arrays."""

    def __init__(self, rank: int, size: int, mail: Mail) -> None:
        self.rank, self.size, self.mail = rank, size, mail

    def send(self, given: Any, to: int, tag: int) -> Done:
        self.mail[self.rank, to].put(given.copy())
        return Done()

    def receive(self, out: Any, source: int, tag: int) -> Done:
        return Done(lambda: np.copyto(out, self.mail[source, self.rank].get(timeout=60)))


def wait(request: Any) -> None:
    if request.take is not None:
        request.take()


@pytest.mark.parametrize("apart", [(0.0, 100.0, -3.5), (50.0, 0.0, 50.25)])
def test_each_rank_finds_what_its_clock_is_behind_rank_0(apart: tuple[float, ...]) -> None:
    mail: Mail = {(a, b): queue.Queue() for a in range(3) for b in range(3)}
    found: dict[int, float] = {}

    def rank(number: int) -> None:
        post: Any = Post(number, 3, mail)
        found[number] = clock.offset(post, wait, lambda: time.monotonic() + apart[number])

    ranks = [threading.Thread(target=rank, args=(number,)) for number in range(3)]
    for each in ranks:
        each.start()
    for each in ranks:
        each.join(60)
    assert found[0] == 0.0
    for number in (1, 2):
        assert found[number] == pytest.approx(apart[0] - apart[number], abs=0.2)
