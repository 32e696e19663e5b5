"""Judge whether an answer is right: run the lesson as it was written, with the learner's answer as the exercise cell.

Two processes have run the lesson up to the exercise. One runs the learner's answer, and calls functions on request;
its replies alone decide nothing. The other never runs the learner's code: it runs the check, with inputs that are drawn
anew each time, asks the first for the results of the learner's functions, and compares plain data. So an answer cannot
read the expected result, change the check, or declare itself right.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import symtable
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

from .examiners import Examiners
from .execute import definitions
from .lesson import PLACEHOLDER, Cell, Lesson
from .limits import Limits, limits_for
from .mistakes import Exchange, known_mistake
from .process import Call, Child, Reply, ignore
from .sandbox import OPEN, Sandbox
from .sentences import AGAIN, what_happened
from .stand import LessonBrokenError, Stand

__all__ = ["Judge", "LessonBrokenError", "Verdict", "owned"]

Result = Literal["passed", "not yet", "error", "interrupted", "timeout", "flooded", "memory", "died", "missing"]

UNWRITTEN = "the answer is not written yet: `...` still stands in it"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one answer."""

    exercise: str
    result: Result
    """"passed"; "not yet" if a check says what is wrong; else what prevented the check."""
    message: str
    """The message to the learner; empty where the answer passed."""
    output: str = ""
    """What the answer printed."""
    seconds: float = 0.0
    mistake: str = ""
    """The sentence about the known mistake that gives the same results; empty if there is none."""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.result == "passed"


class Judge:
    """Checks answers to one lesson. Use it from one thread at a time, except for `interrupt`.

    Both processes stay at the exercise that was judged last. The next answer to it is tried in copies of them, so a
    lesson that trains a net for a minute does so once, not for each attempt. `sandbox` is for the learner's process;
    the other one comes from `examiners`, if given.
    """

    def __init__(
        self,
        lesson: Lesson,
        limits: Limits | None = None,
        sandbox: Sandbox = OPEN,
        examiners: Examiners | None = None,
    ) -> None:
        self.lesson = lesson
        self.limits = limits or limits_for(float(lesson.header["seconds"]))
        self._theirs = Stand(lesson, self.limits, sandbox, open_book=False)
        self._own = self._ours = Stand(lesson, self.limits, absent=sandbox.absent)
        self._examiners = examiners
        self._known: dict[tuple[object, ...], Verdict] = {}
        self._interrupted = False

    def interrupt(self) -> None:
        """Stop judging. Can be called from any thread."""
        self._interrupted = True
        for stand in (self._theirs, self._ours):
            stand.interrupt()

    def rest(self) -> None:
        """Forget an interrupt that came too late."""
        self._interrupted = self._theirs.stopped = self._ours.stopped = False

    def close(self) -> None:
        """End its processes. The judge can be used again."""
        self._theirs.close()
        self._own.close()

    def verdict(self, exercise: str, answers: Mapping[str, str]) -> Verdict:
        """The verdict on the answer to one exercise. It may use names that earlier answers define."""
        try:
            before = self.lesson.exercises[: self.lesson.exercises.index(exercise)]
            earlier = [answers[id] for id in before if id in answers]
            return self._judged(exercise, answers.get(exercise), earlier, again=True)
        finally:
            self.rest()

    def verdicts(self, answers: Mapping[str, str]) -> Iterator[Verdict]:
        """The verdict on each exercise in order, by itself: earlier exercises run with the lesson's solutions.

        Raises LessonBrokenError if the lesson does not run.
        """
        earlier: list[str] = []
        try:
            for id in self.lesson.exercises:
                verdict = self._judged(id, answers.get(id), earlier, again=False)
                if verdict.passed:
                    earlier.append(answers[id])
                yield verdict
                if self._interrupted:
                    return
        finally:
            self.rest()

    def _judged(self, id: str, answer: str | None, earlier: Sequence[str], again: bool) -> Verdict:
        """The verdict on one answer. Unless `again`, a verdict that is known already is reused."""
        if answer is None:
            return Verdict(id, "missing", "There is no answer.")
        key = (id, answer, *earlier)
        if again or key not in self._known:
            attempt = Attempt(self, id, answer, earlier)
            with self._examined(attempt.place):
                self._known[key] = attempt.verdict()
        return self._known[key]

    def prepare(self, exercise: str) -> None:
        """Bring both processes to the exercise, so that the first answer to it is judged at once."""
        place = self.lesson.cells.index(self.lesson.find("exercise", exercise)[0])
        with self._examined(place):
            self.stand_before(place)

    @property
    def spent(self) -> bool:
        """Whether the last attempt used up the learner's process, because it could not be copied."""
        return not self._theirs.waiting

    @contextlib.contextmanager
    def _examined(self, place: int) -> Iterator[None]:
        """Hold a process that judges, shared if there are `examiners`."""
        if self._examiners is None:
            yield
            return
        with self._examiners.one(self.lesson, self.limits, place) as self._ours:
            yield

    # What an attempt needs

    def stand_before(self, place: int) -> tuple[Child, Child]:
        """Both processes, ready before the cell at `place`: the learner's, and the one that judges."""
        with ThreadPoolExecutor(2) as pool:
            theirs, ours = pool.submit(self._theirs.before, place), pool.submit(self._ours.before, place)
            return theirs.result(), ours.result()

    def spoilt(self) -> None:
        """End the learner's process after an attempt changed it because it could not be copied."""
        self._theirs.close()

    def doubted(self) -> None:
        """End the judging process after an attempt changed it because it could not be copied."""
        self._ours.close()

    @property
    def interrupted(self) -> bool:
        """Whether the judge was told to stop."""
        return self._interrupted


class Attempt:
    """The judging of one answer."""

    def __init__(self, judge: Judge, id: str, answer: str, earlier: Sequence[str]) -> None:
        self._judge, self._id, self._answer, self._earlier = judge, id, answer, earlier
        self._mistake = ""
        cells = judge.lesson.cells
        (self.place,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("exercise", id)]
        (check,) = [at for at, cell in enumerate(cells) if (cell.tag, cell.id) == ("check", id)]
        self._exercise, self._check = cells[self.place], cells[check]
        self._between = [each for each in cells[self.place + 1 : check] if each.kind == "code"]
        self._exchanges: list[Exchange] = []
        self._output: list[str] = []
        self._seconds = 0.0
        self._stopped: Verdict | None = None

    def verdict(self) -> Verdict:
        """Run the answer in the one process and the check in the other."""
        theirs, ours = self._judge.stand_before(self.place)
        if self._judge.interrupted:
            return self._said("interrupted", "Stopped.")
        with self._copied(theirs, self._judge.spoilt), self._copied(ours, self._judge.doubted):
            wrong = self._prepare(theirs, self._answer, f"your answer ({self._id})")
            if wrong is not None:
                return wrong
            broken = self._prepare(ours, self._exercise.text, f"line {self._exercise.line} of the lesson")
            if broken is not None and not self._judge.interrupted:
                raise LessonBrokenError(f"the lesson's own solution of {self._id!r} does not run: {broken.message}")
            reply = ours.examine(
                self._check.text,
                f"the check ({self._id})",
                secrets.randbits(31),
                lambda call: self._asked(theirs, call),
            )
        return self._concluded(reply, ours)

    @contextlib.contextmanager
    def _copied(self, child: Child, spoilt: Callable[[], None]) -> Iterator[None]:
        reply = child.fork()
        try:
            yield
        finally:
            if (reply.answer or {}).get("spoilt") or not child.alive or child.drop().answer is None:
                spoilt()

    def _prepare(self, child: Child, answer: str, file: str) -> Verdict | None:
        """Run an answer, the cells between it and its check, and the check's definitions.

        None if all ran well, else a verdict.
        """
        if answer is self._answer:
            for earlier in self._earlier:
                child.run(earlier, "an earlier answer", [], ignore)
        ran = child.run(answer, file, owned(self._exercise.text), ignore)
        verdict = self._ended(ran)
        for cell in self._between if verdict is None else ():
            ran = child.run(cell.text, f"line {cell.line} of the lesson", [], ignore)
            verdict = verdict or self._ended(ran)
        if verdict is None:
            child.run(definitions(self._check.text), f"the check ({self._id})", [], ignore)
        return verdict

    def _ended(self, reply: Reply) -> Verdict | None:
        """The verdict on a reply of the learner's process; None if it ran well."""
        self._output.append(reply.output)
        self._seconds += reply.seconds
        if self._judge.interrupted:
            return self._said("interrupted", "Stopped.")
        if reply.ending:
            told = what_happened(reply, self._judge.limits).removesuffix(AGAIN).strip()
            return self._said(reply.ending, told)
        answer = reply.answer or {}
        return None if answer.get("status") == "done" else self._said("error", readable(answer["error"]["text"]))

    def _said(self, result: Result, message: str) -> Verdict:
        return Verdict(self._id, result, message, readable("".join(self._output)), self._seconds, self._mistake)

    def _asked(self, theirs: Child, call: Call) -> Mapping[str, Any] | None:
        """Let the learner's process answer a call of the check. None if it can no longer answer."""
        reply = theirs.call(call)
        answer = reply.answer or {}
        if reply.ending or self._judge.interrupted:
            self._stopped = self._ended(reply)
            return None
        self._output.append(reply.output)
        self._seconds += reply.seconds
        found: dict[str, Any] = {"value": answer.get("value"), "printed": readable(reply.output)}
        if answer.get("status") == "failed":
            found |= {"error": readable(answer["error"]["text"]), "where": self._where(answer["error"]["text"])}
        self._exchanges.append(Exchange(call, found))
        return found

    def _where(self, traceback: str) -> str:
        """The last line of the answer in a traceback, as text; empty if there is none."""
        file = re.escape(f"your answer ({self._id})")
        lines = [int(number) for number in re.findall(rf'File "{file}(?: \(version \d+\))?", line (\d+)', traceback)]
        text = self._answer.split("\n")
        return f"line {lines[-1]}: {text[lines[-1] - 1].strip()}" if lines and lines[-1] <= len(text) else ""

    def _concluded(self, reply: Reply, ours: Child) -> Verdict:
        if self._stopped is not None or self._judge.interrupted:
            return self._stopped or self._said("interrupted", "Stopped.")
        if reply.ending:
            raise LessonBrokenError(
                f"the check of {self._id!r} was stopped: {what_happened(reply, self._judge.limits)}"
            )
        answer = reply.answer or {}
        if answer.get("status") == "done":
            return self._said("passed", "")
        if not answer["error"]["checked"]:
            raise LessonBrokenError(f"the check of {self._id!r} does not run: {answer['error']['text']}")
        return self._said("not yet", self._explained(answer["error"]["text"], ours))

    def _explained(self, message: str, ours: Child) -> str:
        """The message of a wrong answer, with the sentence about the known mistake that gives the same results."""
        first, *rest = message.split("\n")
        sentence = UNWRITTEN if PLACEHOLDER in self._answer else None
        mistakes = [each for each in self._judge.lesson.mistakes if each.id == self._id]
        if sentence is None and mistakes and ours.alive:

            def prepare(child: Child, mistake: Cell) -> bool:
                return self._prepare(child, mistake.text, "a known mistake") is None

            output, seconds = list(self._output), self._seconds
            sentence = known_mistake(ours, mistakes, self._exchanges, prepare)
            self._output, self._seconds = output, seconds
        self._mistake = sentence or ""
        return "\n".join([first if sentence is None else f"not yet: {sentence}", *rest])


def readable(text: str) -> str:
    """The text without characters that control a terminal.

    >>> readable("a\\x1b[2Jb")
    'a[2Jb'
    """
    return "".join(each for each in text if each.isprintable() or each in "\n\t")


def owned(source: str) -> list[str]:
    """The names that a cell assigns or imports outside functions and classes.

    >>> owned("import math; twice = 2 * math.pi")
    ['math', 'twice']
    """
    table = symtable.symtable(source, "cell", "exec")
    return sorted(each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported())
