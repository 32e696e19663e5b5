"""Right answers unlike the lesson's own pass: a check asks what an answer gives, not how it is written.

They stand in `otherwise/`, in files named like the lessons, each a cell with the id of its exercise.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from minigrad.classroom.course import read_text
from minigrad.classroom.judge import Judge
from minigrad.classroom.lesson import parse_parts
from minigrad.classroom.limits import Limits

from .course import COURSE, draft

FOLDER = Path(__file__).parent / "otherwise"


@pytest.mark.parametrize("slug", [entry.slug for entry in COURSE])
def test_a_right_answer_passes_however_it_is_written(slug: str) -> None:
    if draft(slug).missing:
        pytest.skip(f"{slug} needs {', '.join(draft(slug).missing)}")
    lesson = COURSE.find(slug).read()
    limits = Limits(seconds=max(10.0, 2 * float(lesson.header["seconds"])), grace=0.5)
    _, answers = parse_parts(read_text(FOLDER / f"{slug}.py"))
    assert {answer.id for answer in answers} == set(lesson.exercises)
    with closing(Judge(replace(lesson, mistakes=()), limits)) as judge:
        for answer in answers:
            verdict = judge.verdict(answer.id, {answer.id: answer.text})
            assert verdict.passed, f"line {answer.line}: {verdict.message}"
