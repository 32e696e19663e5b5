"""Ranks whose clocks differ find out by how much."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minigrad.distributed import clock

from .ranks import ROOT, needs_mpi, run

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


AN_HOUR = """
import datetime, os, time
if os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1":
    right, right_ns = time.time, time.time_ns
    time.time = lambda: right() - 3600.0
    time.time_ns = lambda: right_ns() - 3600 * 10**9
    class Late(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) - datetime.timedelta(hours=1)
    datetime.datetime = Late
"""

PROGRAM = """
import minigrad as mg
from minigrad import distributed as dist
dist.init_process_group()
for _ in range(3):
    dist.all_reduce(mg.ones(4))
"""


@needs_mpi
def test_a_rank_on_a_machine_an_hour_behind_finds_out_and_its_recording_says_so(tmp_path: Path) -> None:
    """One of two real processes reads another time from its beginning."""
    (tmp_path / "sitecustomize.py").write_text(AN_HOUR)
    (tmp_path / "program.py").write_text(PROGRAM)
    search = os.pathsep.join(map(str, (tmp_path, ROOT, ROOT / "webui")))
    record = ("-m", "minigrad", "run", "--headless", "--record", "{rank}.jsonl", "program.py")
    ended = run(2, *record, cwd=tmp_path, PYTHONPATH=search)
    assert ended.status == 0, ended.said
    ranks = [list(map(json.loads, (tmp_path / f"{rank}.jsonl").read_text().splitlines())) for rank in range(2)]
    clocks = [next(each["clock"] for each in records if "clock" in each) for records in ranks]
    assert clocks[0] == 0.0
    assert clocks[1] == pytest.approx(3600.0, abs=0.2)
    started = [datetime.fromisoformat(records[0]["started"].replace("Z", "+00:00")).timestamp() for records in ranks]
    assert started[0] - started[1] == pytest.approx(3600.0, abs=30.0)
    sums = [[each["t"] for each in records if each["type"] == "collective_ran"] for records in ranks]
    assert [len(each) for each in sums] == [3, 3]
    for one, other in zip(*sums, strict=True):
        assert started[0] + one + clocks[0] == pytest.approx(started[1] + other + clocks[1], abs=2.0)
