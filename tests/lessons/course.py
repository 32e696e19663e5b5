"""The course, for the tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from minigrad.classroom import load_course
from minigrad.classroom.draft import Draft

FOLDER = Path(__file__).parents[2] / "lessons"
COURSE = load_course(FOLDER)


@cache
def draft(slug: str) -> Draft:
    """A lesson. Each way to run it is run at most once."""
    return Draft(COURSE.find(slug).path)
