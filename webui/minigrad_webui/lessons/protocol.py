"""The messages between the lesson page and the server; the page's TypeScript types are generated from these models.

A lesson as JSON has no solution or check of an exercise that was not passed, and no answer of a question that
was not answered: what the page does not have, it cannot show by accident.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Model(BaseModel):
    """Only the fields defined here are sent and accepted."""

    model_config = ConfigDict(extra="forbid")


class Overtaken(Exception):
    """Another window changed the text meanwhile. The message says what to do."""


class Unknown(LookupError):
    """There is no such lesson, cell, exercise or question. The message says which there are."""


# The course -----------------------------------------------------------------------------------------------------------


class Card(Model):
    """A lesson in the list. `touched`: the learner has answered or edited something."""

    slug: str
    number: int
    title: str
    goal: str
    minutes: int
    fast: bool = Field(description="part of the fast track")
    exercises: int
    passed: int
    touched: bool = False

    @property
    def finished(self) -> bool:
        """Whether every exercise is passed."""
        return self.touched and self.passed == self.exercises


class Course(Model):
    """All lessons in order. `folder` is where the answers are stored as files; empty in a class."""

    title: str
    language: str
    folder: str
    lessons: list[Card]


# One lesson -----------------------------------------------------------------------------------------------------------


class Text(Model):
    """Markdown, with formulas between dollar signs."""

    kind: Literal["text"] = "text"
    key: str
    markdown: str


class Code(Model):
    """A cell to run. `original` is the lesson's text, `code` the learner's.

    Tracebacks and the explorer call the cell by its `name`.
    """

    kind: Literal["code"] = "code"
    key: str
    name: str
    original: str
    code: str


class Exercise(Model):
    """A cell in which the learner writes an answer. `hints` are those revealed so far; the last hint is a solution.

    `solution` and `check` are set once it is passed. `plays` names the graph on which a verdict is animated.
    """

    kind: Literal["exercise"] = "exercise"
    key: str
    name: str
    id: str
    original: str
    code: str
    hints: list[str]
    hints_in_all: int
    passed: bool = False
    plays: str = ""
    solution: str | None = None
    check: str | None = None


class Revealed(Model):
    """The answer to a question, after the guess.

    `fits`: whether the guess was close enough; None if there was no guess.
    """

    guess: float | None
    fits: bool | None
    answer: float
    within: float
    markdown: str


class Question(Model):
    """A question: a number to guess before the next cell computes it. `plays` names its graph."""

    kind: Literal["question"] = "question"
    key: str
    id: str
    markdown: str
    plays: str = ""
    revealed: Revealed | None = None


Cell = Annotated[Text | Code | Exercise | Question, Field(discriminator="kind")]


class Lesson(Model):
    """A lesson with the learner's progress.

    `view` is part of the explorer's address, without the run; `look` says what to see.
    """

    card: Card
    cells: list[Cell]
    view: str | None = None
    look: str | None = None
    previous: Card | None = None
    next: Card | None = None
    next_fast: Card | None = Field(None, description="the next lesson of the fast track, from one that is part of it")


# Requests of a learner


class Draft(Model):
    """Store the text of a cell. `base` is the text that the page loaded or stored last."""

    key: str
    code: str = Field(max_length=200_000)
    base: str | None = Field(None, max_length=200_000)


class Guess(Model):
    """Answer a question; without a number, only reveal it."""

    guess: float | None = None


# Running cells, over a WebSocket --------------------------------------------------------------------------------------


class RunCells(Model):
    """Page to server: run these cells, one after another, until one fails. `fresh` starts a new Python before."""

    type: Literal["run"] = "run"
    cells: list[Draft]
    fresh: bool = False


class CheckExercise(Model):
    """Page to server: check this answer."""

    type: Literal["check"] = "check"
    id: str
    code: str = Field(max_length=200_000)


class Interrupt(Model):
    """Page to server: stop what runs."""

    type: Literal["interrupt"] = "interrupt"


class Restart(Model):
    """Page to server: end Python and start it again; all names are lost."""

    type: Literal["restart"] = "restart"


ASKED: TypeAdapter[Any] = TypeAdapter(
    Annotated[RunCells | CheckExercise | Interrupt | Restart, Field(discriminator="type")]
)
"""The messages of a page."""


class Ready(Model):
    """Server to page: the run in the explorer that records this Python; None before the first cell.

    Another run than before means a new Python without any names.
    """

    type: Literal["ready"] = "ready"
    run: str | None = None


class Started(Model):
    """Server to page: this cell runs now."""

    type: Literal["started"] = "started"
    key: str


class Output(Model):
    """Server to page: a cell printed something."""

    type: Literal["output"] = "output"
    key: str
    text: str


class Trouble(Model):
    """An error in a cell; `line` counts from 1 in that cell."""

    message: str
    traceback: str = ""
    line: int | None = None


class Finished(Model):
    """Server to page: a cell has ended. `note` has further information, such as that output was left out."""

    type: Literal["finished"] = "finished"
    key: str
    status: Literal["ok", "failed", "interrupted", "skipped"]
    seconds: float = 0.0
    trouble: Trouble | None = None
    note: str = ""


class Died(Model):
    """Server to page: Python has ended; all names are lost."""

    type: Literal["died"] = "died"
    message: str


class Checked(Model):
    """Server to page: the verdict of a check; `exercise` is its state now.

    The message is English, and pictures are drawn from it; `translations` has it in other languages, by their codes.
    """

    type: Literal["checked"] = "checked"
    id: str
    passed: bool
    message: str
    translations: dict[str, str] = {}
    output: str = ""
    exercise: Exercise
    card: Card


class Result(Model):
    """The result of a cell's last run; `code` is the text that was run."""

    key: str
    code: str
    text: str
    status: Literal["ok", "failed", "interrupted"]
    seconds: float = 0.0
    trouble: Trouble | None = None
    note: str = ""


class Judged(Model):
    """The last verdict on an exercise; `code` is the answer that it is about."""

    id: str
    code: str
    passed: bool
    message: str
    translations: dict[str, str] = {}
    output: str = ""


class Before(Model):
    """Server to page: the results of an earlier Python, perhaps of another day.

    `run` has recorded it, if it is still stored.
    """

    type: Literal["before"] = "before"
    run: str | None = None
    results: list[Result] = []
    verdicts: list[Judged] = []


class Refused(Model):
    """Server to page: a request that could not be done, and why."""

    type: Literal["refused"] = "refused"
    message: str


TOLD: TypeAdapter[Any] = TypeAdapter(
    Annotated[Ready | Before | Started | Output | Finished | Died | Checked | Refused, Field(discriminator="type")]
)
"""The messages for a page."""


def schema() -> dict[str, Any]:
    """The JSON Schema of all messages."""
    adapters = [TypeAdapter(one) for one in (Course, Lesson, Draft, Guess)]
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (i, "serialization", one) for i, one in enumerate([*adapters, ASKED, TOLD])
    ]
    _, definitions = TypeAdapter.json_schemas(inputs)
    return definitions


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, sort_keys=True))
