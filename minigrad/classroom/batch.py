"""Judge the answers of a whole class, one row for each learner. The code of one learner cannot affect the others."""

from __future__ import annotations

import contextlib
import csv
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from .answers import SUFFIXES, AnswersError, read_answers
from .judge import Judge, LessonBrokenError, Verdict
from .lesson import Lesson
from .limits import Limits
from .process import RunnerError
from .sandbox import OPEN, Sandbox


@dataclass(frozen=True)
class Row:
    """The result of one learner. `problem` says why there are no verdicts; else it is empty."""

    learner: str
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    problem: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> int:
        """The number of exercises that the learner has passed."""
        return sum(verdict.passed for verdict in self.verdicts.values())


def handed_in(path: Path) -> list[Path]:
    """Learners' answers: one file, or all visible files and folders in a folder. AnswersError if there are none."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise AnswersError(f"there is no file or folder {str(path)!r}")
    found = sorted(each for each in path.iterdir() if not each.name.startswith((".", "_")))
    if not any(each.is_dir() or each.suffix in SUFFIXES for each in found):
        raise AnswersError(f"there are no answers in {str(path)!r}: neither .py nor .ipynb files, nor folders")
    return found


def judge_all(
    lesson: Lesson, paths: Sequence[Path], limits: Limits | None = None, jobs: int = 1, sandbox: Sandbox = OPEN
) -> Iterator[Row]:
    """Yield one row for each path, in their order. `jobs` learners are judged at the same time.

    All answers are read before the first is run, so no learner's code can change another's answers.
    """
    entered = [(path.name if path.is_dir() else path.stem, _read(path, lesson)) for path in paths]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda each: judge_one(lesson, each[0], each[1], limits, sandbox), entered)


def _read(path: Path, lesson: Lesson) -> Mapping[str, str] | AnswersError:
    try:
        return read_answers(path, lesson)
    except AnswersError as error:
        return error


def judge_one(
    lesson: Lesson,
    learner: str,
    answers: Mapping[str, str] | AnswersError,
    limits: Limits | None = None,
    sandbox: Sandbox = OPEN,
) -> Row:
    """The row of one learner. Never raises because of the learner's code."""
    began = time.monotonic()
    if isinstance(answers, AnswersError):
        return Row(learner, problem=str(answers))
    try:
        with contextlib.closing(Judge(lesson, limits, sandbox)) as judge:
            verdicts = {verdict.exercise: verdict for verdict in judge.verdicts(answers)}
    except (LessonBrokenError, RunnerError) as error:
        return Row(learner, problem=str(error), seconds=time.monotonic() - began)
    return Row(learner, verdicts, seconds=time.monotonic() - began)


class Table:
    """A CSV file that grows by one row at a time, so that finished rows are never lost."""

    def __init__(self, file: TextIO, exercises: Sequence[str]) -> None:
        self._file, self._exercises = file, exercises
        self._writer = csv.writer(file)
        self._write(["learner", "passed", "exercises", *exercises, "seconds", "problem"])

    def add(self, row: Row) -> None:
        """Add one more learner."""
        results = [row.verdicts[id].result if id in row.verdicts else "" for id in self._exercises]
        told = [row.learner, row.passed, len(self._exercises), *results, f"{row.seconds:.1f}", row.problem]
        self._write([harmless(each) for each in told])

    def _write(self, values: Sequence[object]) -> None:
        self._writer.writerow(values)
        self._file.flush()


def harmless(value: object) -> object:
    """Keep spreadsheets from reading a learner's file name as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value
