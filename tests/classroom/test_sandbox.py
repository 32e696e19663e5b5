"""Within walls a learner's code harms nobody: not by what it starts, takes, writes, reads or ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from minigrad.classroom import Judge, LessonSession, Limits
from minigrad.classroom.batch import handed_in, judge_all
from minigrad.classroom.sandbox import OPEN, best
from minigrad.classroom.warden import tasks, usage

from .hostile import FORK, HOSTILE, reading
from .lessons import BLANK, DOUBLE, small

walls = pytest.mark.skipif(not best().walls, reason="this system has no sandbox")
LIMITS = Limits(seconds=3.0, grace=0.5, output=10_000, memory=512, file=64)


def answer(code: str) -> str:
    return f'# %% tags=["exercise"] id="double"\n{code}\n'


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with contextlib.closing(Judge(small(), replace(LIMITS, seconds=1.5), best())) as judge:
        yield judge


@walls
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_answer_fails_and_the_next_one_passes(name: str, judge: Judge) -> None:
    assert not judge.verdict("double", {"double": HOSTILE[name] + BLANK}).passed
    assert judge.verdict("double", {"double": DOUBLE}).passed


@walls
def test_answers_read_nothing_of_the_teachers_and_of_others(tmp_path: Path) -> None:
    secret = tmp_path / "marks.csv"
    secret.write_text("secret marks")
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "spy.py").write_text(
        answer(reading(str(secret), "/etc/passwd", "/etc/shadow", str(tmp_path / "answers" / "spy.py")) + DOUBLE)
    )
    (row,) = judge_all(small(), handed_in(tmp_path / "answers"), LIMITS, 1, best())
    assert "LEAKED" not in row.verdicts["double"].output
    assert row.passed == 1


@walls
def test_what_a_cell_starts_is_bounded_and_ends_with_it() -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=best()) as session:
        session.start()
        pid = session._child.pid
        for code in FORK.values():
            outcome = session.run(1, code)
            assert outcome.status in ("timeout", "died", "memory", "done")
            session.start()
        pid = session._child.pid
        assert session.run(1, "print(6 * 7)").output == "42\n"
        assert len(_below(pid)) < 10


@walls
def test_no_code_raises_its_own_limits() -> None:
    code = (
        "import resource\nfor kind in (resource.RLIMIT_NPROC, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):\n"
        "    try: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)); print('raised')\n"
        "    except ValueError: print('firm')"
    )
    with LessonSession(small(), limits=LIMITS, sandbox=best()) as session:
        assert session.run(1, code).output == "firm\n" * 3


@walls
@pytest.mark.skipif(sys.platform != "linux", reason="memory files are Linux's")
def test_memory_that_belongs_to_no_process_cannot_be_had() -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=best()) as session:
        assert "Operation not permitted" in session.run(1, "import os\nos.memfd_create('x')").sentence
        code = "import ctypes\nprint(ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600))"
        assert session.run(1, code).output == "-1\n"


@walls
def test_memory_counts_for_all_processes_of_a_sandbox_together() -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=best()) as session:
        outcome = session.run(1, HOSTILE["takes it in many processes"])
        assert outcome.status == "memory"
        assert "512 MB" in outcome.sentence
        assert session.run(1, "1 + 1").output == "2\n"


@walls
def test_a_session_within_walls_can_be_interrupted_and_goes_on() -> None:
    with LessonSession(small(), limits=Limits(seconds=1.0, grace=2.0), sandbox=best()) as session:
        session.run(1, "x = 20")
        assert session.run(3, "while True: pass").status == "timeout"
        assert session.run(3, "x + 1").output == "21\n"


def test_usage_adds_up_what_comes_from_a_process() -> None:
    if sys.platform == "linux":
        own = usage({os.getpid()}, tasks())[os.getpid()]
        assert own[0] > 1_000_000
        assert own[1] > 0.0


def test_without_walls_nothing_is_bounded_that_was_not() -> None:
    with LessonSession(small(), sandbox=OPEN) as session:
        began = time.monotonic()
        assert session.run(1, "6 * 7").output == "42\n"
        assert time.monotonic() - began < 120


def _below(pid: int) -> list[int]:
    known = tasks()

    def comes_from(each: int) -> bool:
        while each in known and each != pid:
            each = known[each].parent
        return each == pid

    return [each for each in known if comes_from(each)]
