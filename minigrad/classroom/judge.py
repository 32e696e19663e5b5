"""Is the answer right? The lesson runs as it was written, with only the exercise cells exchanged for the learner's.

So deleting or editing a check changes nothing. Nor does an answer that gives another meaning to `expect`, or to another
name it does not own: those mean in the check what they meant before.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..errors import MinigradError
from .execute import definitions
from .lesson import Lesson
from .limits import Limits
from .process import Child, Reply
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
    """Checks answers to one lesson. Not for two threads at a time, but for `interrupt`."""

    def __init__(self, lesson: Lesson, limits: Limits | None = None) -> None:
        self.lesson = lesson
        self.limits = limits or Limits()
        self._child: Child | None = None
        self._at = 0
        self._accepted: dict[str, str] = {}
        self._interrupted = False

    def interrupt(self) -> None:
        """Stop. May come from any thread."""
        self._interrupted = True
        if self._child is not None:
            self._child.kill()

    def verdict(self, exercise: str, answers: Mapping[str, str]) -> Verdict:
        """Of the answer to one exercise, after the answers to those before it."""
        *_, last = self.verdicts(answers, exercise)
        return last

    def verdicts(self, answers: Mapping[str, str], through: str | None = None) -> Iterator[Verdict]:
        """Of every exercise in order, up to and including `through`.

        Where an answer is wrong or missing, the lesson's own solution takes its place for what comes after it, so that
        each exercise is judged by itself. LessonBrokenError where the lesson does not run even so.
        """
        self._accepted.clear()
        try:
            for id in self.lesson.exercises:
                yield self._judged(id, answers.get(id))
                if id == through or self._interrupted:
                    return
        finally:
            self._drop()

    def _judged(self, id: str, answer: str | None) -> Verdict:
        exercise, check = self._places(id)
        if answer is None:
            return Verdict(id, "missing", "There is no answer.")
        self._advance(exercise)
        verdict = self._tried(exercise, check, answer)
        if verdict.passed:
            self._accepted[id] = answer
            self._at = check + 1
        elif not self._alive:
            self._drop()
        return verdict

    def _places(self, id: str) -> tuple[int, int]:
        """Of the exercise and its check among the cells."""
        cells = self.lesson.cells
        (exercise,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("exercise", id)]
        (check,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("check", id)]
        return exercise, check

    def _tried(self, exercise: int, check: int, answer: str) -> Verdict:
        """Run the answer, then its check; and what stands between the two."""
        cell = self.lesson.cells[exercise]
        id, output, seconds = cell.id, "", 0.0
        todo: list[tuple[str, str, list[str] | None]] = [(answer, f"your answer ({id})", owned(cell.text))]
        between = [each for each in self.lesson.cells[exercise + 1 : check] if each.kind == "code"]
        todo += [(each.text, f"line {each.line} of the lesson", None) for each in between]
        todo += [(self.lesson.cells[check].text, f"the check ({id})", [])]
        for source, file, only in todo:
            reply = self._run(source, file, only)
            output, seconds = output + reply.output, seconds + reply.seconds
            result, message = judged(reply, self.limits)
            if result != "passed":
                return Verdict(id, result, message, output, seconds)
        return Verdict(id, "passed", "", output, seconds)

    # The process

    @property
    def _alive(self) -> bool:
        return self._child is not None and self._child.alive

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child, self._at = None, 0

    def _run(self, source: str, file: str, only: list[str] | None) -> Reply:
        if self._child is None:
            self._child = Child(self.limits)
        if not self._interrupted:
            reply = self._child.run(source, file, only, lambda text: None)
        return Reply(None, "interrupted", "", 0.0, None) if self._interrupted else reply

    def _advance(self, to: int) -> None:
        """Run the lesson up to a cell; with its own solutions where it does not run with the answers that passed."""
        try:
            self._run_up_to(to)
        except LessonBrokenError:
            if not self._accepted:
                raise
            self._accepted.clear()
            self._drop()
            self._run_up_to(to)

    def _run_up_to(self, to: int) -> None:
        while self._at < to:
            cell = self.lesson.cells[self._at]
            if cell.kind == "code":
                answer = self._accepted.get(cell.id) if cell.tag == "exercise" else None
                only = None if answer is None else owned(cell.text)
                source = definitions(cell.text) if cell.tag == "check" else cell.text
                reply = self._run(source if answer is None else answer, f"line {cell.line} of the lesson", only)
                result, message = judged(reply, self.limits)
                if result != "passed" and not self._interrupted:
                    raise LessonBrokenError(
                        f"the lesson's own cell at line {cell.line} does not run: {message.splitlines()[-1]}"
                    )
            self._at += 1


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
