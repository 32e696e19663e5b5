"""What records are made of: values, places, the ends of a node."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Model(BaseModel):
    """Unknown fields are kept: a newer minor version may say more."""

    model_config = ConfigDict(extra="allow")


class Value(Model):
    """What was in a tensor at that moment, as much of it as was taken.

    ``data`` is base64 of little-endian float32, row by row. ``full``: every element, at most 1,024, as ``rows`` by
    ``cols`` (leading axes are flattened into rows; a scalar is 1 by 1). ``sampled``: a thumbnail of at most 32 by 32
    elements, picked on an even grid. ``stats``: statistics only, no ``data``. Complex tensors are shown by magnitude.
    ``text``: the first 2,000 letters of a text, or of the feedback on one.
    """

    kind: Literal["full", "sampled", "stats", "text"]
    rows: int = 0
    cols: int = 0
    data: str | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    std: float | None = None
    norm: float | None = None
    nan: int = 0
    inf: int = 0
    hist: list[int] | None = Field(None, description="64 bins between min and max, finite elements only")
    text: str | None = None


NotFinite = Annotated[
    Literal["nan", "inf", "-inf"] | None, Field(description="what the loss was where it is no number that JSON knows")
]


class Memory(Model):
    """Bytes of the arrays of all tensors, after a record; together, the most that was held since the record before.

    Each array counts once, as one kind, from the event that first shows it until nobody holds it any more.
    """

    parameters: int = Field(0, description="leaves that want a gradient")
    optimizer: int = Field(0, description="what an optimiser remembers for them")
    gradients: int = Field(0, description="what is in a .grad")
    inputs: int = Field(0, description="other leaves: data, constants")
    saved: int = Field(0, description="activations, and what else an op made, that a node keeps for its backward")
    activations: int = Field(0, description="other results of ops: a variable holds them, or the line that runs")
    temporary: int = Field(0, description="what backward has made and not put into a .grad; what came and went")


class Place(Model):
    """A line of the user's own program. ``code`` is the expression where Python knows it, else the stripped line."""

    file: str
    line: int
    function: str = ""
    code: str = ""


class TensorFacts(Model):
    """What is said of a tensor when it is first seen in a step. ``name``: the parameter's path, or the variable."""

    id: int
    name: str | None = None
    shape: list[int]
    dtype: str
    device: str = "cpu"
    strides: list[int] = []
    bytes: int = 0
    version: int = 0
    leaf: bool = True
    requires_grad: bool = False
    parameter: bool = False
    base: int | None = Field(None, description="the tensor this one is a view of")
    value: Value | None = None
    grad: Value | None = Field(None, description="the .grad it already had when it was first seen in this step")
    at: Place | None = None


class Input(Model):
    """One input of a node. A constant that is no tensor has only ``constant``; a constant tensor has no ``node``."""

    name: str = Field(description="the op's own name for it: a, b, x, weight")
    tensor: int | None = None
    node: int | None = Field(None, description="the node that made it, where that node is in the graph")
    output: int = 0
    constant: str | None = None


class Saved(Model):
    """One tensor that a node keeps for its backward."""

    name: str = Field(description="the input's name, `out`, or a further output of the op")
    tensor: int
    version: int
    bytes: int


class Root(Model):
    """Where a backward run starts."""

    node: int | None = None
    tensor: int | None = None
    output: int = 0
    value: Value | None = None


class GradNorm(Model):
    """How long a parameter's gradient was when a step ended: as clipped, and as the optimiser moved it by."""

    tensor: int
    name: str | None = None
    norm: float | None = Field(None, description="null where it had no gradient, or one that is no number")
    not_finite: Literal["nan", "inf"] | None = None


class Breakpoint(Model):
    """Where a program shall stop: all conditions that are given must hold; at least one must be given."""

    op: str | None = Field(None, description="MatMul; before its forward and before its backward")
    name: str | None = Field(None, description="before the tensor called so is made, and where its gradient arrives")
    file: str | None = Field(None, description="the file of `line`; its end is enough")
    line: int | None = None
    module: str | None = Field(None, description="a module's path, name or type: net.0, Linear")
    node: int | None = None
    nan: bool = Field(False, description="after what makes a NaN or an infinity of finite numbers")
    norm: float | None = Field(None, ge=0, description="where a gradient arrives that is longer than this")
    phase: Literal["forward", "backward"] | None = None
    once: bool = Field(False, description="it goes as soon as the program stops anywhere")

    @model_validator(mode="after")
    def _has_a_condition(self) -> Breakpoint:
        given = (self.op, self.name, self.line, self.module, self.node, self.nan, self.norm is not None, self.phase)
        if not any(given):
            raise ValueError("a breakpoint needs a condition, such as op, name, line, module, nan or norm")
        return self


class Pause(Model):
    """Where a program is held. ``after``: what is named has happened; ``before``: it is about to."""

    number: int = Field(description="of this pause in the run, from 1; a Control names it, so that it answers no other")
    reason: Literal["pause", "step", "breakpoint", "run_to"]
    breakpoint: Breakpoint | None = None
    phase: Literal["forward", "backward"]
    when: Literal["before", "after"]
    op: str
    node: int | None = Field(None, description="null for an op that has not run: it has no node yet")
    leaf: int | None = Field(None, description="the leaf whose gradient has arrived")
    names: list[str] = []
    at: Place | None = None
    running_at: Place | None = Field(None, description="in backward, the line that started it")
    scope: list[str] = []
    from_nodes: list[int] = Field([], description="the nodes whose results an op is about to take")
    step: int = 0
