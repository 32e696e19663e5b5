"""Lessons whose exercises are checked.

lesson = mg.classroom.parse(source)      the cells of a lesson, which is a Python file in percent format
mg.classroom.blank(source)               the same file as a learner gets it, without the solutions
mg.classroom.load_course().find(2).read()     a lesson of the course that minigrad brings along
expect(double, 3, gives=6)               what a check says: what was called, what came back, what was expected
"""

from __future__ import annotations

from .check import CheckFailedError, expect
from .course import Course, Entry, NoSuchLessonError, load_course
from .lesson import BEGIN, END, PLACEHOLDER, Cell, Lesson, LessonError, blank, parse
from .translation import problems, template, translated

__all__ = [
    "Cell", "Lesson", "LessonError", "parse", "blank", "BEGIN", "END", "PLACEHOLDER",
    "CheckFailedError", "expect",
    "Course", "Entry", "load_course", "NoSuchLessonError",
    "translated", "template", "problems",
]  # fmt: skip
