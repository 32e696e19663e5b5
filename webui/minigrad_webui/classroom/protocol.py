"""The messages between the pages of a class and the server; the pages' TypeScript types are generated from these."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

State = Literal["none", "working", "stuck", "solved"]


class Model(BaseModel):
    """Nothing but what is written here goes out or comes in."""

    model_config = ConfigDict(extra="forbid")


# At the door ----------------------------------------------------------------------------------------------------------


class Door(Model):
    """The facts for a visitor without a name."""

    title: str


class Join(Model):
    """A pupil comes in."""

    name: str = Field(min_length=1, max_length=40)
    code: str = Field(max_length=40)


class Joined(Model):
    """The address of the pupil's lesson."""

    page: str


# A pupil --------------------------------------------------------------------------------------------------------------


class Said(Model):
    """A word of the teacher."""

    number: int
    exercise: str
    text: str


class Me(Model):
    """The class as one pupil sees it. `left` are the seconds to the deadline; `asks` is what the pupil has asked."""

    name: str
    title: str
    frozen: bool
    closed: str = Field(description="why nothing can be run or checked now; empty where it can")
    left: float | None
    handed_in: bool
    asks: str
    words: list[Said]


class Ask(Model):
    """A pupil asks for help; an empty text takes it back."""

    text: str = Field(max_length=500)


# The wall -------------------------------------------------------------------------------------------------------------


class Column(Model):
    """An exercise."""

    slug: str
    id: str
    lesson: str


class Square(Model):
    """One pupil at one exercise. `tries` are the answers that were checked up to the first right one."""

    state: State
    tries: int
    mistake: str


class Row(Model):
    """One pupil. `idle` are the seconds since anything was done."""

    id: int
    name: str
    idle: float
    asks: str
    handed_in: bool
    points: float
    squares: list[Square]


class Group(Model):
    """Pupils whose last answer to an exercise gives just what a known wrong answer gives."""

    column: int
    mistake: str
    pupils: list[int]
    tries: float = Field(description="the median of their tries")


class Projected(Model):
    """The projector's subject. `pupil` and `run` lead to a graph, `message` is a verdict to play; no name is shown."""

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
    """The projector: what it shows, or the way into the class where it shows nothing."""

    title: str
    shown: Projected | None
    frozen: bool
    left: float | None
    address: str
    code: str
    joined: int
    solved: list[int] = Field(description="by how many pupils each exercise is solved")


class Wall(Model):
    """All the teacher sees at once."""

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
    """An answer that was checked. `ago` in seconds."""

    ago: float
    result: str
    message: str
    translations: dict[str, str]
    code: str


class Work(Model):
    """One pupil's work at one exercise: the text as it stands, and all that was checked, the newest first.

    `original` is what the lesson gives, and `plays` the graph that the exercise is about.
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
    """One pupil, as the teacher opens them. `run` is the newest one with something to see.

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
    """A word to some pupils about an exercise."""

    pupils: list[int] = Field(max_length=200)
    exercise: str = Field("", max_length=100)
    text: str = Field(min_length=1, max_length=2000)


class Rule(Model):
    """The setting for all: whether work stands still, and in how many minutes it ends (none where that is None)."""

    frozen: bool | None = None
    minutes: float | None = Field(None, ge=0, le=10_000)
    endless: bool = False


class Mark(Model):
    """The teacher's mark for a pupil; points None counts the exercises that passed."""

    points: float | None = Field(None, ge=0, le=1000)
    comment: str = Field("", max_length=4000)


class Feedback(Model):
    """The feedback that a pupil gets in the end."""

    name: str
    title: str
    points: float
    of: int
    comment: str
    work: list[FeedbackWork]


class FeedbackWork(Model):
    """One exercise, with a solution once it passed or was handed in."""

    lesson: str
    id: str
    passed: bool
    tries: int
    message: str
    translations: dict[str, str]
    code: str
    solution: str | None


def schema() -> dict[str, Any]:
    """JSON Schema of everything above."""
    models = (Door, Join, Joined, Me, Ask, Wall, Screen, Pupil, Hint, Rule, Mark, Feedback)
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (at, "serialization", TypeAdapter(model)) for at, model in enumerate(models)
    ]
    return TypeAdapter.json_schemas(inputs)[1]


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, sort_keys=True))
