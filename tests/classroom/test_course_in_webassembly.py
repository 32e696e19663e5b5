"""Every lesson of the course can be held where pupils' code runs in WebAssembly."""

from __future__ import annotations

import pytest

from minigrad.classroom import Limits, load_course
from minigrad.classroom.batch import judge_one

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
