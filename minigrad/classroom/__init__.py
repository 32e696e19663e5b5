"""Lessons whose exercises are checked, and processes that run learners' code safely.

lesson = mg.classroom.parse(source)      the cells of a lesson, which is a Python file in percent format
mg.classroom.blank(source)               the same file as a learner gets it, without the solutions
mg.classroom.load_course().find(2)       a lesson of the course that comes with minigrad: `.read()`, `.title`, ...
expect(double, 3, gives=6)               what a check says: what was called, what came back, what was expected

A `LessonSession` is the work of one learner on one lesson:

    session = LessonSession(lesson, watch=Watch(url, token), name="Gradients add up")
    outcome = session.run(4, source, heard=print)         run this text as cell 4; `heard` gets what it prints
    for outcome in session.from_top({4: source}): ...     all cells in a fresh process, as far as they go
    verdict = session.check("double", source, earlier={"half": other})
    session.edited(4, source)                             the states of all cells: which are stale now
    session.interrupt()                                   from another thread: stop the cell, the check
    session.close()                                       end the process; `run` starts another one

All of these block until they are done; call them in a thread from asynchronous code. Cells are named by their place in
`lesson.cells`, or by the id of their exercise. Each session has one child process, which is started when it is first
needed. Whatever a cell does (an endless loop, a flood of output, too much memory, `os._exit`, a crash), `run` returns
an `Outcome`, whose `sentence` tells the learner what happened, and the session can go on.

It is robust but no sandbox: a cell can do whatever the user who runs it can. So use `LessonSession` only for lessons
you trust: those of the course, and others after asking.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .check import CheckFailedError, at_least, at_most, expect, mostly
    from .course import Course, Entry, NoSuchLessonError, load_course
    from .difference import Wanted
    from .judge import Judge, LessonBrokenError, Verdict
    from .lesson import BEGIN, END, PLACEHOLDER, Cell, Lesson, LessonError, blank, parse
    from .limits import Limits
    from .process import RunnerError, Watch
    from .session import LessonSession, Outcome
    from .translation import problems, template, translated

__all__ = [
    "Cell", "Lesson", "LessonError", "parse", "blank", "BEGIN", "END", "PLACEHOLDER",
    "CheckFailedError", "expect", "Wanted", "at_most", "at_least", "mostly",
    "Course", "Entry", "load_course", "NoSuchLessonError",
    "translated", "template", "problems",
    "LessonSession", "Outcome", "Verdict", "Judge", "LessonBrokenError", "Limits", "Watch", "RunnerError",
]  # fmt: skip

MODULES = {
    "check": ("CheckFailedError", "expect", "at_most", "at_least", "mostly"),
    "course": ("Course", "Entry", "NoSuchLessonError", "load_course"),
    "difference": ("Wanted",),
    "judge": ("Judge", "LessonBrokenError", "Verdict"),
    "lesson": ("BEGIN", "END", "PLACEHOLDER", "Cell", "Lesson", "LessonError", "blank", "parse"),
    "limits": ("Limits",),
    "process": ("RunnerError", "Watch"),
    "session": ("LessonSession", "Outcome"),
    "translation": ("problems", "template", "translated"),
}
"""Where each name is. It is imported at first use: the process of a learner's cells needs few, and starts for each
answer."""


def __getattr__(name: str) -> Any:
    for module, names in MODULES.items():
        if name in names:
            globals()[name] = found = getattr(import_module("." + module, __name__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
