"""A lesson under review: its texts, and the results of running it. `rules` says what must hold."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .course import Entry, read_text
from .judge import Judge, Verdict
from .lesson import Cell, Lesson, blank, sentence_of
from .limits import Limits
from .process import ONE_THREAD
from .session import LessonSession, Outcome


@dataclass(frozen=True)
class Ran:
    """The result of running a lesson as a script. `status` is None if it took too long."""

    status: int | None
    printed: str
    errors: str
    seconds: float
    """By the clock, or processor time if that is less, so that a busy computer does not make a lesson slow."""


@dataclass(frozen=True)
class Trial:
    """The judge's verdicts on an exercise's known answers."""

    exercise: str
    solved: Sequence[Verdict]
    blank: Verdict
    wrong: Sequence[tuple[str, Verdict]]
    """Each with the sentence that learners get who answer so."""


PATIENCE = 4.0
"""A lesson is stopped when it takes this many times its stated seconds."""


class Draft:
    """One file of a lesson. Each way to run it is run once, when first needed.

    Raises LessonError if it is no lesson.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source = read_text(path)
        self.lesson: Lesson = Entry(0, path, False).read()

    @property
    def seconds(self) -> float:
        """The seconds in which the whole file runs, according to its header."""
        return float(self.lesson.header["seconds"])

    @property
    def texts(self) -> Sequence[Cell]:
        """The text cells that every reader sees."""
        return [cell for cell in self.lesson.cells if cell.kind == "markdown" and not cell.tag]

    @property
    def missing(self) -> Sequence[str]:
        """The packages of the header's `needs` that are not installed."""
        return missing(self.lesson)

    @cached_property
    def solved(self) -> Ran:
        """The outcome of the lesson, run as a script with its solutions, and with warnings as errors."""
        return self._as_script(self.source)

    @cached_property
    def unsolved(self) -> Ran:
        """The outcome of the lesson, run as a script without its solutions, as a learner gets it."""
        return self._as_script(blank(self.source))

    @cached_property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcome of each cell, run as the page does: without the checks."""
        with LessonSession(self.lesson, limits=self._limits) as session:
            return list(session.from_top({}))

    @cached_property
    def trials(self) -> Sequence[Trial]:
        """The trials of each exercise: its solution twice, as inputs are random; a blank; each known wrong answer."""
        told = []
        with contextlib.closing(Judge(self.lesson, self._limits)) as judge:
            for cell in self.lesson.cells:
                if cell.tag == "exercise":
                    mistakes = [each for each in self.lesson.mistakes if each.id == cell.id]
                    answers = [cell.text, cell.text, blank(cell.text), *(each.text for each in mistakes)]
                    solved, again, unsolved, *wrong = (judge.verdict(cell.id, {cell.id: each}) for each in answers)
                    sentences = [sentence_of(each) for each in mistakes]
                    told.append(Trial(cell.id, [solved, again], unsolved, list(zip(sentences, wrong, strict=True))))
        return told

    @property
    def _limits(self) -> Limits:
        return Limits(seconds=PATIENCE * self.seconds)

    def _as_script(self, source: str) -> Ran:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        settings = {**ONE_THREAD, **os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / self.path.name
            script.write_text(source, encoding="utf-8")
            began, worked = time.monotonic(), _processor_time()
            try:
                ran = subprocess.run(
                    [sys.executable, "-W", "error", str(script)],
                    cwd=folder,
                    env=settings,
                    timeout=PATIENCE * self.seconds,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    encoding="utf-8",
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Ran(None, "", "", time.monotonic() - began)
        seconds = min(time.monotonic() - began, _processor_time() - worked or math.inf)
        return Ran(ran.returncode, ran.stdout, ran.stderr, seconds)


def _processor_time() -> float:
    """CPU seconds of ended child processes; 0 where the system does not report them."""
    times = os.times()
    return times.children_user + times.children_system


def missing(lesson: Lesson) -> Sequence[str]:
    """The packages that a lesson says it `needs` and that are not installed."""
    needed = [name.strip() for name in lesson.header.get("needs", "").split(",") if name.strip()]
    return [name for name in needed if importlib.util.find_spec(name) is None]
