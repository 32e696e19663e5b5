"""Learners' cells run in a process of their own, and whatever they do there, the session says what happened."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from minigrad.classroom import Judge, LessonSession, Limits, parse
from minigrad.errors import ArgumentError

from .lessons import BLANK, DOUBLE, SMALL, small

START, PRINT, DOUBLING, CHECK, USE, QUADRUPLING = 1, 3, 4, 7, 8, 9
"""The places of the small lesson's code cells."""

QUICK = Limits(seconds=2.0, grace=0.5, output=10_000, memory=2048, file=1)

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="the system has no such limit")


@pytest.fixture(scope="module")
def shared() -> Iterator[LessonSession]:
    with LessonSession(small(), limits=QUICK) as session:
        yield session


@pytest.fixture
def session(shared: LessonSession) -> LessonSession:
    """In a process that lives, whatever the test before has done to it."""
    shared.start()
    return shared


def test_cells_share_their_names_and_show_their_last_value(session: LessonSession) -> None:
    assert session.run(START, "x = 41\nprint('set')").output == "set\n"
    outcome = session.run(PRINT, "x + 1")
    assert (outcome.status, outcome.output, outcome.sentence) == ("done", "42\n", "")


def test_what_is_printed_is_heard_while_the_cell_runs(session: LessonSession) -> None:
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        if "first" in text:
            session.interrupt()

    outcome = session.run(START, "print('first')\nwhile True: ...", hear)
    assert "".join(heard) == outcome.output == "first\n"


def test_an_error_is_told_with_the_learners_lines_and_without_ours(session: LessonSession) -> None:
    source = "import minigrad as mg\n\ndef add(x):\n    return x + mg.ones(3)\n\nadd(mg.ones(2))"
    outcome = session.run(PRINT, source)
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert outcome.sentence.startswith("ShapeError: The size of tensor a (2) must match")
    assert (outcome.error["kind"], outcome.error["line"]) == ("ShapeError", 4)
    assert outcome.error["text"].count('File "cell 2') == 2
    assert "return x + mg.ones(3)" in outcome.error["text"]
    assert os.sep + "minigrad" + os.sep not in outcome.error["text"]


def test_a_cell_that_is_no_python_is_told_by_its_line(session: LessonSession) -> None:
    outcome = session.run(PRINT, "x = 1\nif x:\n")
    assert outcome.error is not None
    assert outcome.sentence.startswith("IndentationError: expected an indented block")
    assert outcome.error["line"] == 2


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import sys; sys.exit(3)", "asked Python to exit"),
        ("input('your name? ')", "Nobody can type into a lesson's cell."),
        ("import sys; sys.stdin.read()", "Nobody can type into a lesson's cell."),
        ("def deeper(): deeper()\ndeeper()", "RecursionError: maximum recursion depth exceeded"),
        pytest.param("import os\nwhile True: os.fork()", "may start 16 processes", marks=posix_only),
        pytest.param("open('large', 'wb').write(bytes(2**21))", "larger than the 1 MiB", marks=posix_only),
        pytest.param("bytearray(2**33)", "more memory than the 2,048 MiB", marks=posix_only),
        pytest.param("import minigrad as mg\nmg.zeros(10**6, 10**6)", "more memory than", marks=posix_only),
    ],
)
def test_a_mistake_that_reaches_a_limit_is_an_error_in_plain_words(
    session: LessonSession, source: str, says: str
) -> None:
    outcome = session.run(START, source)
    assert (outcome.status, outcome.alive) == ("failed", True)
    assert says in outcome.sentence
    assert "\n" not in outcome.sentence


@pytest.mark.parametrize(
    ("source", "status", "says"),
    [
        ("while True: ...", "timeout", "Stopped after 2 seconds"),
        ("while True: print('flood')", "flooded", "printed more than 10,000 characters"),
    ],
)
def test_an_endless_cell_is_stopped_and_the_names_stay(
    session: LessonSession, source: str, status: str, says: str
) -> None:
    session.run(START, "kept = 7")
    outcome = session.run(PRINT, source)
    assert (outcome.status, outcome.alive) == (status, True)
    assert says in outcome.sentence
    assert session.run(PRINT, "kept").output == "7\n"


STUBBORN = (
    "import time\nwhile True:\n    try:\n        while True: time.sleep(9)\n    except BaseException:\n        pass"
)


DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + STUBBORN
CLOSES_ALL = "import os\nfor fd in range(3, 99):\n  try: os.close(fd)\n  except OSError: ..."
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.parametrize(
    ("source", "status", "says"),
    [
        (STUBBORN, "timeout", "Stopped after 2 seconds"),
        (DEAF, "timeout", "Stopped after 2 seconds"),
        ("print('bye')\nimport os; os._exit(3)", "died", "ended its Python, with status 3"),
        pytest.param("import ctypes; ctypes.string_at(0)", "died", "by the signal SIGSEGV", marks=posix_only),
        pytest.param(KILLED, "died", "The system ended", marks=posix_only),
        pytest.param(CLOSES_ALL, "died", "", marks=posix_only),
    ],
)
def test_a_cell_that_takes_its_process_along_is_told_and_the_next_one_starts_afresh(
    session: LessonSession, source: str, status: str, says: str
) -> None:
    session.run(START, "kept = 7")
    outcome = session.run(PRINT, source)
    assert (outcome.status, outcome.alive) == (status, False)
    assert says in outcome.sentence
    assert outcome.sentence.endswith("What the cells had defined is gone: run from the top.")
    assert set(outcome.states.values()) == {"new"}
    assert session.run(START, "'kept' in globals()").output == "False\n"


def test_what_is_printed_last_is_not_lost_when_the_process_dies(session: LessonSession) -> None:
    outcome = session.run(PRINT, "import os\nprint('last words', flush=True)\nos._exit(0)")
    assert outcome.output == "last words\n"


@posix_only
def test_processor_time_is_limited_where_the_parent_is_not_there_to_watch() -> None:
    with LessonSession(small(), limits=Limits(seconds=60, processor=1)) as session:
        outcome = session.run(START, "while True: ...")
    assert outcome.status == "died"
    assert "1 seconds of processor time" in outcome.sentence


@posix_only
def test_a_process_that_a_cell_started_neither_answers_for_it_nor_holds_it_up(session: LessonSession) -> None:
    forks = "import os, time\nif os.fork() == 0:\n    time.sleep(99)\nos._exit(0)"
    outcome = session.run(PRINT, forks)
    assert outcome.status == "died"
    outcome = session.run(PRINT, "import os\nchild = os.fork()\nprint('parent' if child else 'child', flush=True)")
    assert outcome.status == "done"
    assert "parent\n" in outcome.output
    assert "2" in session.run(PRINT, "1 + 1").output.splitlines(), "beside it the child's word, where it came late"


def test_a_print_cannot_forge_a_reply(session: LessonSession) -> None:
    forged = """import os
for descriptor in (1, 2):
    os.write(descriptor, b'{"status": "done", "number": 1}\\n')
1 / 0"""
    outcome = session.run(PRINT, forged)
    assert outcome.status == "failed"
    assert outcome.output.count('"done"') == 2


def test_a_cell_can_be_interrupted_from_another_thread_and_the_session_goes_on(session: LessonSession) -> None:
    threading.Thread(target=session.interrupt).start()  # nothing may run yet: that does no harm
    outcome = session.run(START, "print('here')\nwhile True: ...", lambda text: session.interrupt())
    assert (outcome.status, outcome.sentence) == ("interrupted", "Stopped.")
    assert session.run(PRINT, "1").output == "1\n"


def test_the_environment_of_a_cell_is_clean(session: LessonSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_TOKEN", "secret")
    session.restart()
    look = "import os, sys\nprint(os.environ.get('MINIGRAD_TOKEN'), sys.flags.isolated, os.listdir())"
    assert session.run(START, look).output == "None 1 []\n"


def test_a_cell_is_named_by_its_place_or_its_exercise(session: LessonSession) -> None:
    assert session.run("double", DOUBLE).index == DOUBLING
    with pytest.raises(ArgumentError, match="cell 0 is no code cell"):
        session.run(0, "")
    with pytest.raises(ArgumentError, match="no exercise 'half' in this lesson; there are double, quadruple"):
        session.run("half", "")


def test_what_is_stale_is_known() -> None:
    with LessonSession(small()) as session:
        session.run(START, "known = 21")
        session.run(PRINT, "print(2 * known)")
        assert session.run("double", BLANK).states == {START: "fresh", PRINT: "fresh", DOUBLING: "fresh"}
        assert session.edited(PRINT, "print(3 * known)")[DOUBLING] == "stale"
        assert session.edited(PRINT, "print(2 * known)")[DOUBLING] == "fresh"
        assert session.run(START, "known = 1").states == {START: "fresh", PRINT: "stale", DOUBLING: "stale"}
        assert session.run(PRINT, "1 / 0").states[PRINT] == "failed"
        session.close()
        assert set(session.states.values()) == {"new"}


def test_from_the_top_runs_all_but_the_checks_in_a_fresh_process_as_far_as_it_goes() -> None:
    with LessonSession(small()) as session:
        session.run(START, "leftover = 1")
        heard: list[tuple[int, str]] = []
        outcomes = list(session.from_top({DOUBLING: DOUBLE}, lambda index, text: heard.append((index, text))))
        assert [outcome.index for outcome in outcomes] == [START, PRINT, DOUBLING, USE, QUADRUPLING]
        assert all(outcome.well for outcome in outcomes)
        assert heard == [(PRINT, "42\n"), (USE, "8\n")]
        assert session.run(START, "'leftover' in globals()").output == "False\n"
        outcomes = list(session.from_top({PRINT: "1 / 0"}))
        assert [outcome.status for outcome in outcomes] == ["done", "failed"]
        assert [outcome.index for outcome in session.from_top({}, through=PRINT)] == [START, PRINT]


def test_the_functions_that_a_check_defines_are_there_for_later_cells_but_not_its_variables() -> None:
    tested = SMALL.replace(
        "expect(double, 3, gives=6)", "def half(x):\n    return x / 2\n\nwhole = expect(double, 3, gives=6)"
    )
    with LessonSession(parse(tested)) as session:
        assert session.run(USE, "half(8)").output == "4.0\n"
        assert session.run(USE, "whole").sentence == "NameError: name 'whole' is not defined"
    first, second = Judge(parse(tested)).verdicts({"double": BLANK, "quadruple": "quadruple = lambda x: half(8 * x)"})
    assert (first.result, second.result) == ("not yet", "passed")
