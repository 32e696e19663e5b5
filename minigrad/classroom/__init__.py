"""Lessons whose exercises are checked.

lesson = mg.classroom.parse(source)      the cells of a lesson, which is a Python file in percent format
mg.classroom.blank(source)               the same file as a learner gets it, without the solutions
expect(double, 3, gives=6)               what a check says: what was called, what came back, what was expected
"""

from __future__ import annotations

from .check import CheckFailedError, expect
from .lesson import BEGIN, END, PLACEHOLDER, Cell, Lesson, LessonError, blank, parse

__all__ = [
    "Cell", "Lesson", "LessonError", "parse", "blank", "BEGIN", "END", "PLACEHOLDER",
    "CheckFailedError", "expect",
]  # fmt: skip
