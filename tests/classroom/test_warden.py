"""The thread that ends what works while no cell runs: not a pupil's Python whose pupil only reads."""

from __future__ import annotations

import pytest

from minigrad.classroom import warden as module
from minigrad.classroom.warden import INTERVAL, Task, Warden


class Ward:
    pid, working, bound = 7, False, 100

    def __init__(self) -> None:
        self.ended: list[bool] = []

    def end(self, memory: bool) -> None:
        self.ended.append(memory)


def looked(
    monkeypatch: pytest.MonkeyPatch,
    minutes: float,
    share: float,
    working: int = 0,
    memory: int = 50,
    start: float = 0.0,
) -> Ward:
    """A ward that is looked at for so long, and uses that share of a core; its cell runs in so many looks at first.

    Before, it has used `start` seconds.
    """
    ward, warden, looks = Ward(), Warden(), 0
    monkeypatch.setattr(module.threading.Thread, "start", lambda self: None)
    monkeypatch.setattr(module.time, "monotonic", lambda: looks * INTERVAL)
    warden.watch(ward)

    def sleep(seconds: float) -> None:
        nonlocal looks
        looks += 1
        ward.working = looks <= working
        if ward.ended or looks * INTERVAL > 60 * minutes:
            warden.forget(ward)

    monkeypatch.setattr(module.time, "sleep", sleep)
    monkeypatch.setattr(module, "tasks", lambda: {7: Task(1, memory, start + looks * INTERVAL * share)})
    warden._look()
    return ward


def test_a_pupil_who_reads_for_an_hour_keeps_what_cells_have_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(monkeypatch, minutes=60, share=0.02).ended == []


def test_a_slow_computer_may_take_long_to_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(monkeypatch, minutes=60, share=0.02, start=20.0).ended == []


def test_what_a_cell_leaves_behind_at_work_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(monkeypatch, minutes=1, share=1.0, working=20).ended == [False]


def test_a_cell_that_runs_may_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(monkeypatch, minutes=1, share=1.0, working=1_000).ended == []


def test_more_memory_than_it_may_use_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(monkeypatch, minutes=1, share=0.0, memory=101).ended == [True]
