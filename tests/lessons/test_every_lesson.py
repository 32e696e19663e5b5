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


@pytest.mark.parametrize("number", range(1, len(COURSE) + 1))
def test_where_a_terminal_is_asked_for_whoever_reads_the_page_is_told_what_to_do_there(number: int) -> None:
    cells = COURSE.find(number).read().cells
    (at,) = [place for place, cell in enumerate(cells) if f"minigrad lesson run {number}`" in cell.text]
    paragraph = " ".join(cells[at].text.split("\n\n")[0].split())
    assert "On the lesson's page" in paragraph
    if "**Show it here** above" in paragraph:
        assert cells[at - 1].kind == "code"
        assert all(cell.kind != "code" for cell in cells[at:]), "that button stands below the lesson's last cell"


@pytest.mark.parametrize("slug", [entry.slug for entry in COURSE])
@pytest.mark.parametrize("rule", RULES)
def test_every_lesson_keeps_the_rules(slug: str, rule: str) -> None:
    lesson = draft(slug)
    if lesson.missing:
        pytest.skip(f"{slug} needs {', '.join(lesson.missing)}")
    assert not list(RULES[rule](lesson)), RULES[rule].__doc__
