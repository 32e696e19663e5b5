"""Every lesson keeps what the format promises; the rules are those of `minigrad lesson test`."""

from __future__ import annotations

import pytest

from minigrad.classroom.course import INDEX
from minigrad.classroom.course import tomllib as toml
from minigrad.classroom.rules import RULES

from .course import COURSE, FOLDER, draft


def test_the_course_lists_exactly_the_lessons_that_exist() -> None:
    assert [entry.path.name for entry in COURSE] == sorted(path.name for path in FOLDER.glob("*.py"))


def test_the_fast_track_is_a_part_of_the_course_in_the_same_order() -> None:
    told = toml.loads((FOLDER / INDEX).read_text(encoding="utf-8"))
    assert told["fast_track"] == [entry.path.name for entry in COURSE if entry.fast_track]


@pytest.mark.parametrize("slug", [entry.slug for entry in COURSE])
@pytest.mark.parametrize("rule", RULES)
def test_every_lesson_keeps_the_rules(slug: str, rule: str) -> None:
    lesson = draft(slug)
    if lesson.missing:
        pytest.skip(f"{slug} needs {', '.join(lesson.missing)}")
    assert not list(RULES[rule](lesson)), RULES[rule].__doc__
