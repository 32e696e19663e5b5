"""Is the answer right? The lesson runs as it was written, with only the exercise cells exchanged for the learner's.

So deleting or editing a check changes nothing. Nor does an answer that gives another meaning to `expect`, or to another
name it does not own: those mean in the check what they meant before.
"""

from __future__ import annotations

import functools
import symtable
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..errors import MinigradError
from .execute import definitions
from .lesson import Cell, Lesson
from .limits import Limits, limits_for
from .process import Child, Piece, Reply
from .sentences import AGAIN, what_happened

Result = Literal["passed", "not yet", "error", "interrupted", "timeout", "flooded", "died", "missing"]


@dataclass(frozen=True)
class Verdict:
    """What is said of one answer."""

    exercise: str
    result: Result
    """Passed; "not yet" where a check says what is wrong; else what kept the check from being done."""
    message: str
    """What to tell the learner; empty where it passed."""
    output: str = ""
    """What the answer and its check printed."""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.result == "passed"


class LessonBrokenError(MinigradError, RuntimeError):
    """A cell of the lesson, which no learner wrote, does not run."""


class Judge:
    """Checks answers to one lesson. Not for two threads at a time, but for `interrupt`.

    It keeps a process in which the lesson has run up to the exercise that was judged last. The next answer to it is
    tried in a copy of that, so a lesson that trains a net for a minute does so once and not for each attempt.
    """

    def __init__(self, lesson: Lesson, limits: Limits | None = None) -> None:
        self.lesson = lesson
        self.limits = limits or limits_for(float(lesson.header["seconds"]))
        self._child: Child | None = None
        self._at = 0
        """The cells before this one have run."""
        self._inside: list[tuple[str, str | None]] = []
        """The exercises among them, and the answers that were run; None for the lesson's own solution."""
        self._chosen: dict[str, str | None] = {}
        """What is to be run of each exercise."""
        self._known: dict[tuple[object, ...], Verdict] = {}
        self._interrupted = False

    def interrupt(self) -> None:
        """Stop. May come from any thread."""
        self._interrupted = True
        if self._child is not None:
            self._child.kill()

    def rest(self) -> None:
        """An interrupt that came too late is forgotten."""
        self._interrupted = False

    def close(self) -> None:
        """End the process. The judge can be used again."""
        if self._child is not None:
            self._child.kill()
        self._child, self._at, self._inside = None, 0, []

    def verdict(self, exercise: str, answers: Mapping[str, str]) -> Verdict:
        """Of the answer to one exercise, after the answers to those before it."""
        *_, last = self.verdicts(answers, exercise)
        return last

    def verdicts(self, answers: Mapping[str, str], through: str | None = None) -> Iterator[Verdict]:
        """Of every exercise in order, up to and including `through`.

        Where an answer is wrong or missing, the lesson's own solution takes its place for what comes after it, so that
        each exercise is judged by itself. LessonBrokenError where the lesson does not run even so.
        """
        self._chosen.clear()
        try:
            for id in self.lesson.exercises:
                verdict = self._judged(id, answers.get(id), again=id == through)
                self._chosen[id] = answers.get(id) if verdict.passed else None
                yield verdict
                if id == through or self._interrupted:
                    return
        finally:
            self.rest()

    def _judged(self, id: str, answer: str | None, again: bool) -> Verdict:
        """Of one answer; what is known is not tried again, unless it is what was asked for."""
        if answer is None:
            return Verdict(id, "missing", "There is no answer.")
        key = (id, answer, *self._chosen.items())
        if again or key not in self._known:
            self._known[key] = self._tried(id, answer)
        return self._known[key]

    def _tried(self, id: str, answer: str) -> Verdict:
        """Run the answer, what stands between it and its check, and the check."""
        exercise, check = self._places(id)
        self._stand_before(exercise)
        cells = self.lesson.cells
        between = [each for each in cells[exercise + 1 : check] if each.kind == "code"]
        pieces = [Piece(answer, f"your answer ({id})", owned(cells[exercise].text))]
        pieces += [Piece(each.text, f"line {each.line} of the lesson") for each in between]
        reply = self._asked(lambda child: child.attempt([*pieces, Piece(cells[check].text, f"the check ({id})", [])]))
        result, message = judged(reply, self.limits)
        if reply.answer is None or reply.answer.get("spoilt"):
            self.close()
        return Verdict(id, result, message, reply.output, reply.seconds)

    def _places(self, id: str) -> tuple[int, int]:
        """Of the exercise and its check among the cells."""
        cells = self.lesson.cells
        (exercise,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("exercise", id)]
        (check,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("check", id)]
        return exercise, check

    # The process

    def _asked(self, question: Callable[[Child], Reply]) -> Reply:
        if self._child is None:
            self._child = Child(self.limits)
        reply = None if self._interrupted else question(self._child)
        return Reply(None, "interrupted", "", 0.0, None) if self._interrupted or reply is None else reply

    def _stand_before(self, to: int) -> None:
        """Run the lesson up to a cell; with its own solutions where it does not run with the answers that passed."""
        wanted = list(self._chosen.items())
        if self._at > to or self._inside != wanted[: len(self._inside)] or not (self._child and self._child.alive):
            self.close()
        try:
            self._run_up_to(to)
        except LessonBrokenError:
            if not any(self._chosen.values()):
                raise
            self._chosen = dict.fromkeys(self._chosen)
            self.close()
            self._run_up_to(to)

    def _run_up_to(self, to: int) -> None:
        while self._at < to and not self._interrupted:
            cell = self.lesson.cells[self._at]
            if cell.kind == "code":
                piece = self._piece(cell)
                reply = self._asked(functools.partial(_run, piece=piece))
                result, message = judged(reply, self.limits)
                if result != "passed" and not self._interrupted:
                    self.close()
                    last = message.splitlines()[-1]
                    raise LessonBrokenError(f"the lesson's own cell at line {cell.line} does not run: {last}")
            if cell.tag == "exercise":
                self._inside.append((cell.id, self._chosen.get(cell.id)))
            self._at += 1

    def _piece(self, cell: Cell) -> Piece:
        """What is run in the place of a cell that comes before the exercise."""
        file = f"line {cell.line} of the lesson"
        answer = self._chosen.get(cell.id) if cell.tag == "exercise" else None
        if answer is not None:
            return Piece(answer, file, owned(cell.text))
        return Piece(definitions(cell.text) if cell.tag == "check" else cell.text, file)


def _run(child: Child, piece: Piece) -> Reply:
    return child.run(*piece, lambda text: None)


def judged(reply: Reply, limits: Limits) -> tuple[Result, str]:
    """What a reply means for the answer, and what to tell its author."""
    if reply.ending:
        return reply.ending, what_happened(reply, limits).removesuffix(AGAIN).strip()
    answer = reply.answer or {}
    if answer.get("status") == "done":
        return "passed", ""
    error = answer["error"]
    return ("not yet" if error["checked"] else "error"), error["text"]


def owned(source: str) -> list[str]:
    """The names that a cell gives a meaning to, outside of functions and classes.

    >>> owned("import math; twice = 2 * math.pi")
    ['math', 'twice']
    """
    table = symtable.symtable(source, "cell", "exec")
    return sorted(each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported())
