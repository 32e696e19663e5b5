"""A lesson as its page shows it: only what the learner may see at this point.

The course's files hold everything, including solutions, checks and answers. This module is the only place that turns
them into messages, so it decides what is held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from minigrad.classroom import Cell as Part
from minigrad.classroom import Course, Entry, LessonSession, blank
from minigrad.classroom import Lesson as Source
from minigrad_webui.lessons.protocol import Card, Cell, Code, Exercise, Lesson, Question, Revealed, Text

_TOLD = re.compile(r"^(\s*print\(.*\)) {2,}# .*$", re.MULTILINE)
"""A print, with a comment that shows its output."""


@dataclass(frozen=True)
class Standing:
    """A learner's progress in a lesson. `drafts` are the texts of cells, by place."""

    drafts: Mapping[int, str] = field(default_factory=dict)
    hints: Mapping[str, int] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()
    guesses: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def touched(self) -> bool:
        """Whether the learner has done anything in it."""
        return bool(self.drafts or self.hints or self.passed or self.guesses)


def key_of(place: int) -> str:
    """The page's key for the cell at that place of the lesson."""
    return f"c{place}"


def name_of(place: int, lesson: Source) -> str:
    """The name of a cell for learners, tracebacks and the explorer."""
    return LessonSession(lesson).called(place)


def place_of(key: str, lesson: Source) -> int | None:
    """The place of the code cell or exercise with this key, or None."""
    places = {key_of(at): at for at, part in enumerate(lesson.cells) if part.kind == "code" and part.tag != "check"}
    return places.get(key)


def originals(lesson: Source) -> dict[int, str]:
    """The initial texts of the cells, by place.

    They leave out solutions, and also a cell's output if it is the answer to the question before it.
    """
    found = {}
    guessing = False
    for at, part in enumerate(lesson.cells):
        if part.tag == "predict":
            guessing = True
        elif part.kind == "code" and part.tag != "check":
            text = blank(part.text)
            found[at] = _TOLD.sub(r"\1", text) if guessing else text
            guessing = False
    return found


def card(entry: Entry, lesson: Source, standing: Standing) -> Card:
    """The lesson for the list of lessons."""
    return Card(
        slug=entry.slug,
        number=entry.number,
        title=lesson.header["title"],
        goal=lesson.header["goal"],
        minutes=entry.minutes,
        fast=entry.fast_track,
        exercises=len(lesson.exercises),
        passed=len(standing.passed.intersection(lesson.exercises)),
        touched=standing.touched,
    )


def page(entry: Entry, lesson: Source, standing: Standing, neighbours: Mapping[str, Card | None]) -> Lesson:
    """The lesson for its page."""
    return Lesson(
        card=card(entry, lesson, standing),
        cells=list(_cells(lesson, standing)),
        view=lesson.header.get("view"),
        look=lesson.header.get("explorer"),
        **neighbours,
    )


def neighbours(course: Course, entry: Entry) -> dict[str, Entry | None]:
    """The lessons before and after this one, by their names on the page."""
    return {
        "previous": next((each for each in course if each.number == entry.number - 1), None),
        "next": course.after(entry),
        "next_fast": course.after(entry, fast=True) if entry.fast_track else None,
    }


def _cells(lesson: Source, standing: Standing) -> Iterator[Cell]:
    given = originals(lesson)
    for at, part in enumerate(lesson.cells):
        if part.tag == "exercise":
            yield exercise(lesson, part.id, standing, given)
        elif part.tag == "predict":
            yield question(lesson, part.id, standing)
        elif part.kind == "code" and not part.tag:
            yield Code(
                key=key_of(at), name=name_of(at, lesson), original=given[at], code=standing.drafts.get(at, given[at])
            )
        elif not part.tag:
            yield Text(key=key_of(at), markdown=part.text)


def exercise(lesson: Source, id: str, standing: Standing, given: Mapping[int, str] | None = None) -> Exercise:
    """One exercise, with the hints asked for so far, and its solution and check once it is passed."""
    (at,) = (at for at, part in enumerate(lesson.cells) if (part.tag, part.id) == ("exercise", id))
    original = (given or originals(lesson))[at]
    hints = [*(part.text for part in lesson.find("hint", id)), _last_hint(lesson.cells[at])]
    passed = id in standing.passed
    return Exercise(
        key=key_of(at),
        name=name_of(at, lesson),
        id=id,
        original=original,
        code=standing.drafts.get(at, original),
        hints=hints[: standing.hints.get(id, 0)],
        hints_in_all=len(hints),
        passed=passed,
        plays=lesson.cells[at].plays,
        solution=_solved(lesson.cells[at]) if passed else None,
        check="\n\n".join(part.text for part in lesson.find("check", id)) if passed else None,
    )


def _last_hint(part: Part) -> str:
    """The last hint: a solution. The page gives it a title in its own language."""
    return f"```python\n{_solved(part)}\n```"


def _solved(part: Part) -> str:
    """An exercise with its solution, without the marks around it."""
    return "\n".join(line for line in part.text.split("\n") if not line.strip().startswith("### "))


def question(lesson: Source, id: str, standing: Standing) -> Question:
    """One question; with its answer only if the learner has guessed or given up."""
    (at,) = (at for at, part in enumerate(lesson.cells) if (part.tag, part.id) == ("predict", id))
    part = lesson.cells[at]
    shown = Question(key=key_of(at), id=id, markdown=part.question, plays=part.plays)
    if id in standing.guesses and part.answer is not None:
        guess = standing.guesses[id]
        shown.revealed = Revealed(
            guess=guess,
            fits=None if guess is None else part.fits(guess),
            answer=part.answer,
            within=part.within,
            markdown=part.reveal,
        )
    return shown
