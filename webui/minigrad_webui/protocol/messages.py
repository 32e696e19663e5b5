"""The messages over the two WebSockets: one for programs that publish, one for viewers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, model_validator

from minigrad.observe.publish.wire import PROTOCOL_VERSION
from minigrad.observe.schema import SCHEMA_VERSION
from minigrad.observe.schema.parts import LARGEST, Breakpoint

from .model import Model
from .runs import Run, Step

# Messages of publishing programs


RunId = Annotated[
    str, Field(min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f]*[^/\\\x00-\x1f.][^/\\\x00-\x1f]*$")
]
"""An id that is valid in an address: up to 200 characters, no slash, not only dots."""


class Hello(Model):
    """Publisher to server, first. The same id again after a broken connection continues the run."""

    type: Literal["hello"] = "hello"
    protocol: int = PROTOCOL_VERSION
    schema_version: int = SCHEMA_VERSION
    run: RunId
    name: str = Field(max_length=10_000)
    started: str = Field(max_length=100)


class Welcome(Model):
    """Server to publisher: records up to ``have`` are stored; send those after."""

    type: Literal["welcome"] = "welcome"
    protocol: int = PROTOCOL_VERSION
    run: str
    have: int = 0


class Batch(Model):
    """Records in order. Publisher to server, and server to viewer: at most 30 a second."""

    type: Literal["batch"] = "batch"
    first: int
    last: int
    records: list[dict[str, Any]]


class Ack(Model):
    """Server to publisher: everything up to ``seq`` is stored."""

    type: Literal["ack"] = "ack"
    seq: int


class Audience(Model):
    """Server to publisher: the number of viewers that watch the run now.

    Only a viewer can continue a paused program.
    """

    type: Literal["audience"] = "audience"
    viewers: int


class Look(Model):
    """Server to publisher: show part of an array, as it is now. The last two axes are a plane; a vector is one row."""

    type: Literal["look"] = "look"
    number: int = Field(0, description="of this request; its `Tile` carries it")
    tensor: int = Field(0, description="its number in the records")
    of: Literal["value", "grad"] = "value"
    lead: list[int] = Field([], description="indices of the axes before the last two")
    row: int = Field(0, ge=0)
    col: int = Field(0, ge=0)
    rows: int = Field(128, ge=1, le=128)
    cols: int = Field(128, ge=1, le=128)
    every: int = Field(1, ge=1, description="only every so-manieth row and column, so that a tile shows a larger part")


class Tile(Model):
    """Publisher to server, and on to the viewer that asked: the elements, or in ``problem`` why there are none.

    ``data`` is base64 of little-endian numbers, row by row: float64 if ``wide``, else float32.
    """

    type: Literal["tile"] = "tile"
    number: int
    problem: str | None = None
    version: int = Field(0, description="of the tensor, when it was looked at")
    step: int = Field(0, description="the one that the program was in")
    shape: list[int] = Field([], description="of the whole array")
    row: int = 0
    col: int = 0
    rows: int = 0
    cols: int = 0
    every: int = 1
    wide: bool = False
    data: str = ""
    broken: list[int] | None = Field(
        None, description="elements, by number, that stand for a NaN or an infinity between them and the next shown"
    )


class Bye(Model):
    """Publisher to server: the program ended."""

    type: Literal["bye"] = "bye"


class Problem(Model):
    """Server to either: what went wrong and what to do; the connection then closes."""

    type: Literal["problem"] = "problem"
    code: str
    message: str


# Messages of viewers


class Subscribe(Model):
    """Viewer to server, first. ``step`` null follows the newest step, a number holds that one.

    The same can be set in the address: ``live?protocol=1&step=3``.
    """

    type: Literal["subscribe"] = "subscribe"
    protocol: int = PROTOCOL_VERSION
    step: Annotated[int, Field(ge=0, le=LARGEST)] | None = None
    outline: bool = Field(False, description="send of a large step the `Outline` first")


_NOTHING = {
    "op": None,
    "name": None,
    "line": None,
    "module": None,
    "node": None,
    "nan": False,
    "norm": None,
    "phase": None,
}
"""The conditions of a breakpoint, each with the value that means "not set"."""

_SAYS_WHERE: dict[str, Any] = {
    "if": {
        "properties": {
            "action": {"not": {"enum": ["run_to", "break", "unbreak"]}},
            "breakpoint": {"type": "null"},
        }
    },
    "else": {
        "required": ["breakpoint"],
        "properties": {
            "breakpoint": {
                "type": "object",
                "anyOf": [
                    {"required": [name], "properties": {name: {"not": {"const": nothing}}}}
                    for name, nothing in _NOTHING.items()
                ],
            }
        },
    },
}
"""What `Control._says_where` requires, for readers of the schema."""


class Control(Model):
    """Viewer to server, which passes it on to the program.

    ``pause``: at the next op, node or leaf; ``step`` to the one after; ``over`` the module; ``run_to`` a breakpoint
    once; ``stop`` ends the program; ``break`` and ``unbreak`` set and remove a breakpoint.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra=_SAYS_WHERE)

    type: Literal["control"] = "control"
    protocol: int = PROTOCOL_VERSION
    action: Literal["pause", "step", "over", "continue", "run_to", "stop", "break", "unbreak"]
    number: int | None = Field(None, description="of the pause that this answers; of another one it is ignored")
    breakpoint: Breakpoint | None = Field(None, description="for break, unbreak and run_to")

    @model_validator(mode="after")
    def _says_where(self) -> Control:
        if self.breakpoint is None and self.action in ("run_to", "break", "unbreak"):
            raise ValueError(f"{self.action!r} needs a breakpoint")
        if self.breakpoint is not None and all(getattr(self.breakpoint, name) == _NOTHING[name] for name in _NOTHING):
            raise ValueError("a breakpoint needs a condition, such as op, name, line, module, nan or norm")
        return self


class Notice(Model):
    """Server to viewer: a request was not done, and why. The connection stays open."""

    type: Literal["notice"] = "notice"
    code: str
    message: str


class _Picture(Model):
    run: Run
    steps: list[Step] = Field(description="all, or the newest 5,000 with every n-th older one")
    every: int = Field(1, description="one of every this many older steps is among `steps`")
    step: int
    seq: int
    records: list[dict[str, Any]]


class Outline(_Picture):
    """Server to viewer, on request: the parts of a large step, sent before its first snapshot.

    ``records`` has the run's sources and, up to ``seq``, the step's nodes, tensors, scopes, collectives and detached
    tensors: enough to draw it. The snapshot, which has them again, comes when the viewer subscribes again.
    """

    type: Literal["outline"] = "outline"


class Snapshot(_Picture):
    """Server to viewer: the whole picture. Sent first, after a gap, and when the followed step changes.

    ``records`` holds the run's sources and every record of ``step`` up to ``seq``; later ones come in batches.
    """

    type: Literal["snapshot"] = "snapshot"


class StepUpdate(Model):
    """Server to viewer: the changed rows of the timeline, and the run's state."""

    type: Literal["steps"] = "steps"
    run: Run
    steps: list[Step]


LIVE: TypeAdapter[Any] = TypeAdapter(
    Annotated[Outline | Snapshot | Batch | StepUpdate | Notice | Problem, Field(discriminator="type")]
)
"""The messages for a viewer."""
