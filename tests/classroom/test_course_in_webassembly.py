"""Every lesson of the course can be held where pupils' code runs in WebAssembly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from minigrad.classroom import Limits, load_course
from minigrad.classroom.batch import judge_one
from minigrad.classroom.judge import Judge
from minigrad.classroom.session import LessonSession

from .boxes import the

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [entry.number for entry in load_course()])
def test_the_solutions_of_a_lesson_pass_in_webassembly(number: int) -> None:
    lesson = load_course().find(number).read()
    answers = {cell.id: cell.text for cell in lesson.cells if cell.tag == "exercise" and cell.id}
    row = judge_one(lesson, "ada", answers, Limits(seconds=600.0), the("WebAssembly"))
    assert row.problem == ""
    assert {id: verdict.message for id, verdict in row.verdicts.items() if not verdict.passed} == {}
    assert row.passed == len(lesson.exercises)


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
