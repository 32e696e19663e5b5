"""A learner's work on a lesson: run its cells in one process, in any order, as often as wanted."""

from __future__ import annotations

import contextlib
import functools
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from ..errors import ArgumentError
from .execute import definitions
from .freshness import Freshness, State
from .judge import Judge, LessonBrokenError, Verdict
from .lesson import Cell, Lesson
from .limits import Limits, limits_for
from .process import Child, Reply, RunnerError, Watch
from .sandbox import OPEN, Sandbox
from .sentences import what_happened

Status = Literal["done", "failed", "interrupted", "timeout", "flooded", "memory", "died"]


@dataclass(frozen=True)
class Outcome:
    """The result of running a cell."""

    index: int
    """The cell's place in `lesson.cells`."""
    status: Status
    """"done", "failed" with an error, or why it was stopped; after "died" there is no process any more."""
    sentence: str
    """A message to the learner; empty if the cell ran well."""
    output: str
    """The cell's output, up to the limit."""
    error: Mapping[str, Any] | None
    """The error: its `kind`, `sentence`, `file`, `line` in the cell, and the traceback as `text`."""
    seconds: float
    alive: bool
    """Whether the cells' names still exist. If not, the next cell starts in a new process."""
    run: str | None
    """The id of the run in the explorer, if the session is watched."""
    states: Mapping[int, State]
    """The state of each cell: "new", "fresh", "stale" or "failed"."""

    @property
    def well(self) -> bool:
        """Whether the cell ran to its end."""
        return self.status == "done"


def ignore(*_: Any) -> None:
    """Ignore all output."""


class LessonSession:
    """One learner, one lesson. The process starts with the first cell, and again after it has died.

    `watch` is the explorer that shows the run, which has the id `run` there and is called `name`. `sandbox` is
    for the learner's code, `judge` for the answers. `ahead` prepares the next verdict after each verdict, so
    that it is quick. All calls block until they are done, except `interrupt`, which any thread may call.

    >>> from minigrad.classroom import load_course
    >>> with LessonSession(load_course().find(1).read()) as session:
    ...     outcome = session.run(1, "print('hello'); 6 * 7")
    >>> outcome.status, outcome.output
    ('done', 'hello\\n42\\n')
    """

    def __init__(
        self,
        lesson: Lesson,
        *,
        limits: Limits | None = None,
        watch: Watch | None = None,
        name: str = "",
        sandbox: Sandbox = OPEN,
        judge: Judge | None = None,
        ahead: Executor | None = None,
    ) -> None:
        self.lesson = lesson
        self.limits = limits or limits_for(float(lesson.header["seconds"]))
        self.name = name or lesson.header["title"]
        self.run_id: str | None = None
        self._watch = watch
        self._sandbox = sandbox
        self._child: Child | None = None
        self._freshness = Freshness()
        self._judge = judge or Judge(lesson, self.limits, sandbox)
        self._ahead = ahead
        self._checking = False
        self._defined: set[int] = set()
        """The checks whose functions the process has."""
        self._turn = threading.RLock()
        self._one_check = threading.Lock()

    # Its process

    def start(self) -> None:
        """Start the process if none runs, so that the first cell is quick. Raises RunnerError if that fails."""
        with self._turn:
            if self._child is not None and self._child.alive:
                return
            self._end()
            if self._watch is not None:
                self.run_id = f"{datetime.now(timezone.utc):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"
            self._defined.clear()
            self._child = Child(self.limits, self._watch, self.run_id or "", self.name, self._sandbox)

    def prepare(self, exercise: str) -> None:
        """Start what the first cell and the first answer to an exercise need, so that they are quick."""
        self.start()
        with self._one_check:
            self._judge.prepare(exercise)

    def close(self) -> None:
        """End the process; its published records are kept. The session can be used again, without any names."""
        self.interrupt()
        with self._turn:
            self._end()
        with self._one_check:
            self._judge.close()

    def _end(self) -> None:
        """End the process, if there is one. A check that is running has a process of its own."""
        if self._child is not None:
            self._child.close()
        self._child = None
        self._freshness.restarted()

    def restart(self) -> None:
        """Forget all names that cells have defined: start a new process."""
        with self._turn:
            self._end()
            self.start()

    def interrupt(self) -> None:
        """Stop whatever runs now, a cell or a check. Does nothing where nothing runs."""
        if self._child is not None:
            self._child.interrupt()
        if self._checking:
            self._judge.interrupt()

    def __enter__(self) -> LessonSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Cells

    @property
    def states(self) -> Mapping[int, State]:
        """The state of each cell that has run or was edited: "new", "fresh", "stale" or "failed"."""
        return self._freshness.states()

    def edited(self, index: int, source: str) -> Mapping[int, State]:
        """Note a cell's new text, and return the states after that."""
        self._freshness.edited(index, source)
        return self.states

    def index_of(self, cell: int | str) -> int:
        """The place of a cell, given its place or the id of an exercise.

        Raises ArgumentError if there is no such cell.
        """
        cells = self.lesson.cells
        if isinstance(cell, int):
            if 0 <= cell < len(cells) and cells[cell].kind == "code":
                return cell
            raise ArgumentError(f"cell {cell} is no code cell of this lesson, which has {len(cells)} cells")
        found = [index for index, each in enumerate(cells) if (each.tag, each.id) == ("exercise", cell)]
        if not found:
            raise ArgumentError(
                f"there is no exercise {cell!r} in this lesson; there are {', '.join(self.lesson.exercises)}"
            )
        return found[0]

    def run(self, cell: int | str, source: str, heard: Callable[[str], None] = ignore) -> Outcome:
        """Run `source` in place of a cell; `heard` gets its output as it comes."""
        with self._turn:
            index = self.index_of(cell)
            self.start()
            assert self._child is not None
            self._define(index)
            reply = self._child.run(source, self.called(index), None, heard)
            return self._outcome(index, source, reply)

    def _define(self, before: int) -> None:
        """Define the functions of the checks above a cell, without running the checks."""
        for index, cell in enumerate(self.lesson.cells[:before]):
            if cell.tag == "check" and index not in self._defined and self._child is not None:
                self._defined.add(index)
                source = definitions(cell.text)
                if source:
                    self._child.run(source, self.called(index), None, ignore)

    def _outcome(self, index: int, source: str, reply: Reply) -> Outcome:
        answer = reply.answer or {}
        status: Status = reply.ending or ("done" if answer.get("status") == "done" else "failed")
        alive = reply.answer is not None
        if alive:
            self._freshness.ran(index, source, status == "done")
        else:
            self._freshness.edited(index, source)
            self._freshness.restarted()
        error = answer.get("error")
        sentence = error["sentence"] if error else what_happened(reply, self.limits)
        return Outcome(
            index, status, sentence, reply.output, error, reply.seconds, alive, self.run_id, self._freshness.states()
        )

    def called(self, index: int) -> str:
        """The name of a cell in tracebacks and the explorer: its number among the learner's cells, and its exercise."""
        number = sum(runs(cell) for cell in self.lesson.cells[: index + 1])
        id = self.lesson.cells[index].id
        return f"cell {number}" + (f" ({id})" if id else "")

    def from_top(
        self,
        sources: Mapping[int, str],
        heard: Callable[[int, str], None] = ignore,
        through: int | None = None,
    ) -> Iterator[Outcome]:
        """Run all cells in a new process until one fails; yields the outcome of each.

        `sources` has the learner's texts by the cells' places; the other cells run as they are in the lesson. Of
        checks, only the function definitions run. `through` is the last cell to run.
        """
        with self._turn:
            self.restart()
            for index, cell in enumerate(self.lesson.cells):
                if not runs(cell) or (through is not None and index > through):
                    continue
                outcome = self.run(index, sources.get(index, cell.text), functools.partial(heard, index))
                yield outcome
                if not outcome.well:
                    return

    def check(self, exercise: str, source: str, earlier: Mapping[str, str] | None = None) -> Verdict:
        """Judge an answer, in the lesson as it was written; `earlier` are the answers to earlier exercises.

        It is judged in other processes: what ran in the session does not matter, and is not changed. These
        processes stay until the session is closed, so that the next attempt is judged at once.
        """
        self.index_of(exercise)
        with self._one_check:
            self._checking = True
            try:
                verdict = self._judge.verdict(exercise, {**(earlier or {}), exercise: source})
            finally:
                self._checking = False
                self._judge.rest()
        if self._ahead is not None and self._judge.spent:
            ids = self.lesson.exercises
            following = ids[ids.index(exercise) + 1 :] if verdict.passed else [exercise]
            with contextlib.suppress(RuntimeError):  # the executor has been shut down
                self._ahead.submit(self._prepare_again, (following or [exercise])[0])
        return verdict

    def _prepare_again(self, exercise: str) -> None:
        """Start the process for the next attempt if the last one used it up. An error is reported at that attempt."""
        with self._one_check, contextlib.suppress(RunnerError, LessonBrokenError):
            if self._child is not None and self._child.alive:
                self._judge.prepare(exercise)


def runs(cell: Cell) -> bool:
    """Whether learners run this cell: code that is not a check."""
    return cell.kind == "code" and cell.tag != "check"
