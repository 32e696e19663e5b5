"""A rank that fails ends the job, and it is said which and why; the rest of these programs would wait for ever."""

from __future__ import annotations

import os
import re
import signal
import threading
import time

import pytest

from .ranks import PROGRAMS, Ended, end, needs_mpi, run, start

pytestmark = needs_mpi

FAILING = str(PROGRAMS / "failing.py")
STARTING = 90
"""Seconds that a slow machine may need to start Python and MPI; a rank that hangs would wait for 300 more."""


WITHIN = 90
"""Seconds after which no rank is left of a job of which one has failed."""


def failed(way: str, size: int = 2, SECONDS: str = "300") -> Ended:
    ended = run(size, FAILING, way, SECONDS=SECONDS)
    assert ended.status != 0, ended.said
    assert ended.seconds < STARTING + 10, "it did not end by itself"
    assert "came to its end" not in ended.out
    began_to_fail = re.search(r"failing at ([\d.]+)", ended.out)
    assert began_to_fail is None or time.time() - float(began_to_fail[1]) < WITHIN, "the others went on for too long"
    return ended


def test_one_that_raises_is_named_with_its_traceback() -> None:
    said = failed("raises", size=4).said
    assert "rank 1 of 4 failed with ValueError, and ends the others" in said
    assert 'raise ValueError("the data of rank 1 is broken")' in said


def test_one_that_raises_under_minigrad_run_is_named_and_its_recording_is_whole(tmp_path) -> None:
    record = str(tmp_path / "rank{rank}.jsonl")
    ended = run(2, "-m", "minigrad", "run", "--headless", "--record", record, FAILING, "raises", SECONDS="60")
    assert ended.status != 0
    assert "rank 1 of 2 failed with ValueError, and ends the others" in ended.said
    assert "the data of rank 1 is broken" in ended.said
    assert '"run_finished"' in (tmp_path / "rank1.jsonl").read_text()


def test_one_that_raises_before_the_group_is_made_ends_the_others_under_minigrad_run() -> None:
    ended = run(2, "-m", "minigrad", "run", "--headless", FAILING, "early", SECONDS="60")
    assert ended.status != 0
    assert "rank 1 of 2 failed with ValueError" in ended.said


def test_one_that_raises_before_the_group_is_made_ends_the_others() -> None:
    said = failed("early").said
    assert "ValueError: before the group was made" in said
    assert "rank 1 of 2 failed with ValueError, and ends the others" in said


def test_one_that_never_makes_the_group_is_waited_for_in_vain() -> None:
    assert "_wait_until_all_ranks_have_called_init_process_group" in failed("absent", SECONDS="3").said


@pytest.mark.parametrize("way", ["exits", "leaves"])
def test_one_that_leaves_is_missed_at_once(way: str) -> None:
    said = failed(way).said
    assert "rank 0 of 2 waits for all_reduce sum of (4,) float32, call no. 2, but rank 1 left the program" in said


def test_one_that_is_killed_can_be_read_from_its_process() -> None:
    """MPICH's launcher ends all ranks, and on a busy machine names the first that it finds ended, whichever that is."""
    ended = failed("killed")
    table = re.search(r"rank 0 is process (\d+) on \S+, rank 1 is process (\d+)", ended.err)
    assert table
    said_by_the_launcher = ended.said.replace(table[0], "")
    assert any(name in said_by_the_launcher for name in (*table.groups(), "rank 1"))


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("other call", "rank 0: all_reduce sum of (4,) float32; rank 1: broadcast of (4,) float32 from 0"),
        ("other shape", "rank 0: all_reduce sum of (4,) float32; rank 1: all_reduce sum of (3, 4) float32"),
        ("other type", "rank 0: all_reduce sum of (4,) float32; rank 1: all_reduce sum of (4,) float64"),
        ("too much", "more was sent than was to be received: 16 bytes"),
    ],
)
def test_calls_that_do_not_fit_are_found(way: str, words: str) -> None:
    assert words in failed(way).said


def test_ranks_that_wait_for_each_other_end_after_the_timeout_and_say_for_what() -> None:
    said = failed("both receive", SECONDS="2").said
    assert "still waiting for rank" in said
    assert "waited 2 s for rank" in said


def test_one_that_is_stopped_is_named_and_does_not_stay() -> None:
    said = failed("stops", SECONDS="3").said
    assert "Nothing was heard from rank 1" in said
    stopped = re.search(r"stopping (\d+)", said)
    assert stopped
    deadline = time.monotonic() + 120
    while _lives(int(stopped[1])):
        assert time.monotonic() < deadline, "the stopped rank is still there"
        time.sleep(0.05)


def test_one_that_was_stopped_for_a_while_is_waited_for() -> None:
    began = time.monotonic()
    process = start(2, FAILING, "stops", SECONDS="3600")
    assert process.stdout
    line = ""
    while not line.startswith("stopping"):
        line = process.stdout.readline()
        assert line, "it ended before"
    pause = threading.Timer(20 if os.environ.get("CI") else 2, os.kill, (int(line.split()[1]), signal.SIGCONT))
    pause.start()
    ended = end(process, began)
    assert ended.status == 0, ended.said
    assert ended.out.count("came to its end") == 2


def test_one_that_is_slow_is_only_said_to_be() -> None:
    ended = run(2, FAILING, "is slow", SECONDS="4")
    assert ended.status == 0, ended.said
    assert "rank 0 of 2: still waiting for all_reduce sum of (4,) float32, call no. 2 after 2 s" in ended.err
    assert ended.out.count("came to its end") == 2


def _lives(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as state:
            return state.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
