"""A process that has run a lesson, with its own solutions, up to a cell, and waits there to try answers."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import MinigradError
from .course import lessons_folder
from .execute import definitions
from .lesson import Cell, Lesson, LessonError
from .limits import Limits
from .process import Child, Piece, ignore
from .sandbox import OPEN, Sandbox
from .sentences import what_happened


class LessonBrokenError(MinigradError, RuntimeError):
    """A cell of the lesson itself does not run."""


class Stand:
    """One process. `open_book=False` keeps it from opening the folder with the solved lessons.

    `absent` are packages that it must not find: a judging process has only the packages of the learner's sandbox.
    """

    def __init__(
        self,
        lesson: Lesson,
        limits: Limits,
        sandbox: Sandbox = OPEN,
        open_book: bool = True,
        absent: Sequence[str] = (),
    ) -> None:
        self.lesson, self.limits = lesson, limits
        self.stopped = False
        """Whether the stand was told to stop."""
        self._sandbox, self._absent = sandbox, absent
        self._closed = [] if open_book else closed_folders()
        self._child: Child | None = None
        self._at = 0
        """All cells before this place have run."""

    def before(self, place: int) -> Child:
        """The process, after the lesson has run up to that cell.

        Raises LessonBrokenError if the lesson does not run.
        """
        if self._at > place or not self.waiting:
            self.close()
        if self._child is None:
            self._child = Child(self.limits, sandbox=self._sandbox, closed=self._closed, absent=self._absent)
        while self._at < place and not self.stopped:
            cell = self.lesson.cells[self._at]
            if cell.kind == "code":
                self._run(self._child, cell)
            self._at += 1
        return self._child

    def _run(self, child: Child, cell: Cell) -> None:
        source = definitions(cell.text) if cell.tag == "check" else cell.text
        reply = child.run(*Piece(source, f"line {cell.line} of the lesson"), ignore)
        answer = reply.answer or {}
        if (reply.ending or answer.get("status") != "done") and not self.stopped:
            self.close()
            told = what_happened(reply, self.limits) if reply.ending else answer["error"]["text"]
            last = told.splitlines()[-1]
            raise LessonBrokenError(f"the lesson's own cell at line {cell.line} does not run: {last}")

    @property
    def waiting(self) -> bool:
        """Whether the stand has a process that is ready."""
        return self._child is not None and self._child.alive

    def interrupt(self) -> None:
        """Stop what runs. Can be called from any thread."""
        self.stopped = True
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
        self._child, self._at = None, 0


def closed_folders() -> list[str]:
    """The folder of the solved lessons, as a list; empty if there is none."""
    try:
        return [str(lessons_folder())]
    except LessonError:
        return []
