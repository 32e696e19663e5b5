"""The messages between the pages of a class and the server; the pages' TypeScript types are generated from these."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

State = Literal["none", "working", "stuck", "solved"]


class Model(BaseModel):
    """Only the fields defined here are sent and accepted."""

    model_config = ConfigDict(extra="forbid")


# At the door ----------------------------------------------------------------------------------------------------------


class Door(Model):
    """What a visitor without a name may know."""

    title: str


class Join(Model):
    """A pupil joins."""

    name: str = Field(min_length=1, max_length=40)
    code: str = Field(max_length=40)


class Joined(Model):
    """The address of the pupil's lesson."""

    page: str


# A pupil --------------------------------------------------------------------------------------------------------------


class Said(Model):
    """A message of the teacher."""

    number: int
    exercise: str
    text: str


class Me(Model):
    """The class as one pupil sees it. `left` is the seconds to the deadline; `asks` is the pupil's question."""

    name: str
    title: str
    frozen: bool
    closed: str = Field(description="why nothing can be run or checked now; empty where it can")
    left: float | None
    handed_in: bool
    asks: str
    words: list[Said]


class Ask(Model):
    """A pupil asks for help. An empty text withdraws the question."""

    text: str = Field(max_length=500)


# The wall -------------------------------------------------------------------------------------------------------------


class Column(Model):
    """An exercise: one column of the wall."""

    slug: str
    id: str
    lesson: str


class Square(Model):
    """One pupil at one exercise. `tries` counts the checked answers up to the first right one."""

    state: State
    tries: int
    mistake: str


class Row(Model):
    """One pupil: one row of the wall. `idle` is the seconds since the pupil did anything."""

    id: int
    name: str
    idle: float
    asks: str
    handed_in: bool
    points: float
    squares: list[Square]


class Group(Model):
    """Pupils whose last answer to an exercise gives the same results as one known wrong answer."""

    column: int
    mistake: str
    pupils: list[int]
    tries: float = Field(description="the median of their tries")


class Projected(Model):
    """What the projector shows.

    `pupil` and `run` lead to a graph, `message` is a verdict to animate; no name is shown.
    """

    title: str = Field(max_length=200)
    text: str = Field("", max_length=2000)
    code: str = Field("", max_length=200_000)
    message: str = Field("", max_length=10_000)
    translations: dict[str, Annotated[str, Field(max_length=10_000)]] = Field({}, max_length=20)
    original: str = Field("", max_length=20_000)
    plays: str = Field("", max_length=2000)
    pupil: int | None = None
    run: str | None = None


class Screen(Model):
    """The projector: what it shows, or, if it shows nothing, how to join the class."""

    title: str
    shown: Projected | None
    frozen: bool
    left: float | None
    address: str
    code: str
    joined: int
    solved: list[int] = Field(description="by how many pupils each exercise is solved")


class Wall(Model):
    """All that the teacher sees at once."""

    title: str
    address: str
    code: str
    viewer: str = Field(description="the read-only address of the projector")
    minutes: float
    frozen: bool
    left: float | None
    columns: list[Column]
    rows: list[Row]
    groups: list[Group]
    translations: dict[str, dict[str, str]] = Field(description="by language, the mistakes that are translated")
    shown: Projected | None


class Tried(Model):
    """An answer that was checked, `ago` seconds before."""

    ago: float
    result: str
    message: str
    translations: dict[str, str]
    code: str


class Work(Model):
    """One pupil's work at one exercise: the current text, and all checked answers, newest first.

    `original` is the lesson's text, and `plays` the graph that the exercise is about.
    """

    slug: str
    id: str
    code: str
    hints: int
    passed: bool
    tried: list[Tried]
    original: str
    plays: str


class Pupil(Model):
    """One pupil's page for the teacher. `run` is the newest run that shows something.

    `points` count the exercises that passed, unless points were `given`.
    """

    id: int
    name: str
    points: float
    given: bool
    comment: str
    run: str | None
    work: list[Work]
    words: list[Said]


class Hint(Model):
    """A message to some pupils about an exercise."""

    pupils: list[int] = Field(max_length=200)
    exercise: str = Field("", max_length=100)
    text: str = Field(min_length=1, max_length=2000)


class Rule(Model):
    """A setting for all pupils: whether work is frozen, and in how many minutes it ends (None: never)."""

    frozen: bool | None = None
    minutes: float | None = Field(None, ge=0, le=10_000)
    endless: bool = False


class Mark(Model):
    """The teacher's mark for a pupil. With `points` None, the passed exercises are counted."""

    points: float | None = Field(None, ge=0, le=1000)
    comment: str = Field("", max_length=4000)


class Feedback(Model):
    """The feedback for a pupil at the end."""

    name: str
    title: str
    points: float
    of: int
    comment: str
    work: list[FeedbackWork]


class FeedbackWork(Model):
    """One exercise, with a solution if it was passed or handed in."""

    lesson: str
    id: str
    passed: bool
    tries: int
    message: str
    translations: dict[str, str]
    code: str
    solution: str | None


def schema() -> dict[str, Any]:
    """The JSON Schema of all messages."""
    models = (Door, Join, Joined, Me, Ask, Wall, Screen, Pupil, Hint, Rule, Mark, Feedback)
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (at, "serialization", TypeAdapter(model)) for at, model in enumerate(models)
    ]
    return TypeAdapter.json_schemas(inputs)[1]


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, sort_keys=True))
