"""Every lesson of the course can be held where pupils' code runs in WebAssembly."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from minigrad.classroom import Limits, load_course
from minigrad.classroom.judge import Judge
from minigrad.classroom.session import LessonSession

from .boxes import the

pytestmark = pytest.mark.slow


NUMBERS = [entry.number for entry in load_course()]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solved_lesson_runs_to_its_end_in_webassembly_and_passes_its_own_checks(number: int) -> None:
    lesson = load_course().find(number).read()
    with LessonSession(lesson, limits=Limits(seconds=600.0), sandbox=the("WebAssembly")) as session:
        for index, cell in enumerate(lesson.cells):
            if cell.kind == "code":
                outcome = session.run(index, cell.text)
                assert outcome.well, f"line {cell.line}: {outcome.sentence}"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_lessons_first_solution_is_judged_right_in_webassembly(number: int) -> None:
    """The other verdicts would run the lesson up to each exercise again, which takes minutes there."""
    lesson = load_course().find(number).read()
    first = lesson.exercises[0]
    with contextlib.closing(Judge(lesson, Limits(seconds=600.0), the("WebAssembly"))) as judge:
        verdict = judge.verdict(first, {first: lesson.find("exercise", first)[0].text})
    assert (verdict.result, verdict.message) == ("passed", "")


def test_while_a_verdict_is_read_the_process_for_the_next_attempt_is_started() -> None:
    lesson, limits, box = load_course().find(2).read(), Limits(seconds=600.0), the("WebAssembly")
    first, second, *_ = lesson.exercises
    answer = lesson.find("exercise", first)[0].text
    judge = Judge(lesson, limits, box)
    with LessonSession(
        lesson, limits=limits, sandbox=box, judge=judge, ahead=(ahead := ThreadPoolExecutor(1))
    ) as session:
        session.prepare(first)
        for source, passed in (("pass", False), (answer, True)):
            assert session.check(first, source).passed is passed
            ahead.submit(int).result(600)  # what came before it is done
            assert not judge.spent
        assert judge._theirs._at == lesson.cells.index(lesson.find("exercise", second)[0])
