"""An answer is judged in the lesson as it was written, whatever else the learner has done."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from minigrad.classroom import Judge, LessonBrokenError, LessonSession, Limits, parse

from .lessons import BLANK, DOUBLE, QUADRUPLE, SMALL, small

QUICK = Limits(seconds=2.0, grace=0.5, output=1_000)


def verdicts(**answers: str) -> dict[str, str]:
    return {each.exercise: each.result for each in Judge(small(), QUICK).verdicts(answers)}


def test_right_answers_pass() -> None:
    assert verdicts(double=DOUBLE, quadruple=QUADRUPLE) == {"double": "passed", "quadruple": "passed"}


def test_a_wrong_answer_is_told_what_was_called_what_came_back_and_what_was_expected() -> None:
    verdict = LessonSession(small()).check("double", "def double(x):\n    return x * x")
    assert (verdict.result, verdict.passed) == ("not yet", False)
    assert verdict.message == "not yet: 9 instead of 6\n  called     double(3)\n  expected   6\n  came back  9"


def test_each_exercise_is_judged_by_itself() -> None:
    assert verdicts(double=BLANK, quadruple="def quadruple(x):\n    return double(double(x))") == {
        "double": "not yet",
        "quadruple": "passed",
    }
    assert verdicts(quadruple=QUADRUPLE) == {"double": "missing", "quadruple": "passed"}


def test_the_answers_to_earlier_exercises_count_where_they_are_right() -> None:
    earlier = DOUBLE + "def helper(x):\n    return double(double(x))\n"
    verdict = LessonSession(small()).check("quadruple", "quadruple = helper", earlier={"double": earlier})
    assert verdict.passed


@pytest.mark.parametrize(
    ("answer", "result", "says"),
    [
        ("def double(x:", "error", "SyntaxError"),
        ("1 / 0", "error", "ZeroDivisionError"),
        ("", "not yet", "NameError: name 'double' is not defined"),
        ("while True: ...", "timeout", "Stopped after 2 seconds"),
        ("def double(x):\n    while True: ...", "timeout", "Stopped after 2 seconds"),
        ("def double(x):\n    import os; os._exit(0)", "died", "ended its Python, with status 0"),
        ("import os; os._exit(0)", "died", "ended its Python"),
        ("def double(x):\n    raise SystemExit", "not yet", "asked Python to exit"),
        ("def double(x):\n    return int(input())", "not yet", "Nobody can type"),
        ("def double(x):\n    while True: print(x)", "flooded", "printed more than 1,000 characters"),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_even_run_is_told_and_the_next_one_judged(answer: str, result: str, says: str) -> None:
    first, second = Judge(small(), QUICK).verdicts({"double": answer, "quadruple": QUADRUPLE})
    assert first.result == result
    assert says in first.message
    assert second.passed


@pytest.mark.parametrize(
    "cheat",
    [
        "def expect(*given, **wanted): pass\n",
        "import minigrad.classroom as room\nroom.expect = print\nexpect = print\n",
        "known = 0\n",
    ],
)
def test_an_answer_cannot_change_what_its_check_is_made_of(cheat: str) -> None:
    assert verdicts(double=cheat + BLANK)["double"] == "not yet"
    assert verdicts(double=cheat + DOUBLE)["double"] == "passed"


def test_nothing_that_ran_in_the_session_counts_and_nothing_there_changes() -> None:
    with LessonSession(small()) as session:
        session.run("double", DOUBLE)
        assert session.check("double", BLANK).result == "not yet"
        assert session.run(1, "double(4)").output == "8\n"


@pytest.mark.parametrize("answer", ["while True: ...", DOUBLE])
def test_a_check_can_be_interrupted_at_any_time(answer: str) -> None:
    judge = Judge(small(), Limits(seconds=60))
    threading.Thread(target=judge.interrupt).start()
    assert judge.verdict("double", {"double": answer}).result == "interrupted"


def test_a_lesson_that_does_not_run_says_so_and_blames_no_learner() -> None:
    broken = parse(SMALL.replace("known = 21", "known = 21 / 0"))
    with pytest.raises(
        LessonBrokenError, match="own cell at line 14 does not run: ZeroDivisionError: division by zero$"
    ):
        Judge(broken).verdict("double", {"double": DOUBLE})


SLOW = SMALL.replace("known = 21", "known = 21\nimport os\nopen(os.environ['HOME'] + '/runs', 'a').write('once ')")


def test_the_lesson_runs_once_in_each_process_however_often_an_answer_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with LessonSession(parse(SLOW), limits=QUICK) as session:
        assert session.check("double", BLANK).result == "not yet"
        assert session.check("double", "known = 0\n1 / 0").result == "error"
        assert session.check("double", "import os; os._exit(7)").message == (
            "The cell ended its Python, with status 7; os._exit does that."
        )
        assert session.check("double", "while True: ...").result == "timeout"
        assert session.check("double", DOUBLE).passed
        assert session.check("quadruple", QUADRUPLE, {"double": DOUBLE}).passed
        assert (tmp_path / "runs").read_text() == "once " * 2
        assert session.check("double", BLANK).result == "not yet"
        assert (tmp_path / "runs").read_text() == "once " * 4


def test_an_attempt_leaves_nothing_behind() -> None:
    with LessonSession(small()) as session:
        spoils = "import builtins, minigrad\nbuiltins.len = minigrad.zeros = None\n"
        assert not session.check("double", spoils + BLANK).passed
        assert session.check(
            "double", "import minigrad\ndouble = lambda x: len('ab') * x * (minigrad.zeros is not None)"
        ).passed


def test_where_a_process_cannot_be_copied_the_lesson_runs_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    uncopyable = parse(SMALL.replace("known = 21", "known = 21\nimport sys\nsys.modules['cupy'] = None"))
    with LessonSession(uncopyable, limits=QUICK) as session:
        assert session.check("double", "known = 0\n" + BLANK).result == "not yet"
        assert session.check("double", "import os; os._exit(0)").result == "died"
        assert session.check("double", DOUBLE).passed
