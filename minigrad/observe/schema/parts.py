"""The parts of records: values, places, the inputs and outputs of a node.

A text inside ``Annotated`` describes the field; a `Limits` bounds it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

LARGEST = (1 << 53) - 1
"""The largest whole number that every reader represents exactly; browsers have no larger ones."""


class Limits(NamedTuple):
    """The smallest and largest allowed value of a number."""

    least: float
    most: float

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """The limits for pydantic, with which the server checks requests."""
        return {**handler(source), "ge": self.least, "le": self.most}


Count = Annotated[int, Limits(0, LARGEST)]
"""A whole number from 0."""


class Part:
    """A part of a record. Unknown fields are kept: a newer minor version may add fields."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "allow"}


NotFinite = Annotated[Literal["nan", "inf", "-inf"] | None, "what the loss was where it is no number that JSON knows"]


@dataclass(kw_only=True)
class Value(Part):
    """The value of a tensor at that moment, or as much of it as was recorded.

    ``data`` is base64 of little-endian float32, row by row. ``full``: every element, at most 4,096, as ``rows`` by
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
    text: str | None = None


@dataclass(kw_only=True)
class Memory(Part):
    """Bytes of the arrays of all tensors, after a record. Their sum is the most memory in use since the record before.

    Each array counts once, as one kind, from the event that first shows it until it is freed.
    """

    parameters: Annotated[int, "leaves that want a gradient"] = 0
    optimizer: Annotated[int, "what an optimiser remembers for them"] = 0
    gradients: Annotated[int, "what is in a .grad"] = 0
    inputs: Annotated[int, "other leaves: data, constants"] = 0
    saved: Annotated[int, "activations, and what else an op made, that a node keeps for its backward"] = 0
    activations: Annotated[int, "other results of ops: a variable holds them, or the line that runs"] = 0
    temporary: Annotated[int, "what backward has made and not put into a .grad; what came and went"] = 0


@dataclass(kw_only=True)
class Place(Part):
    """A line of the user's own program. ``code`` is the expression where Python knows it, else the stripped line."""

    file: str
    line: int
    function: str = ""
    code: str = ""


@dataclass(kw_only=True)
class TensorFacts(Part):
    """A tensor's first record in a step. ``name``: the parameter's path, or the variable."""

    id: int
    name: str | None = None
    shape: list[int]
    dtype: str
    device: str = "cpu"
    strides: list[int] = field(default_factory=list)
    bytes: int = 0
    version: int = 0
    leaf: bool = True
    requires_grad: bool = False
    parameter: bool = False
    base: Annotated[int | None, "the tensor this one is a view of"] = None
    value: Value | None = None
    grad: Annotated[Value | None, "the .grad it already had when it was first seen in this step"] = None
    at: Place | None = None


@dataclass(kw_only=True)
class Input(Part):
    """One input of a node. A constant that is no tensor has only ``constant``; a constant tensor has no ``node``."""

    name: Annotated[str, "the op's own name for it: a, b, x, weight"]
    tensor: int | None = None
    node: Annotated[int | None, "the node that made it, where that node is in the graph"] = None
    output: int = 0
    constant: str | None = None


@dataclass(kw_only=True)
class Saved(Part):
    """One tensor that a node saves for its backward."""

    name: Annotated[str, "the input's name, `out`, or a further output of the op"]
    tensor: int
    version: int
    bytes: int


@dataclass(kw_only=True)
class Root(Part):
    """The start of a backward run."""

    node: int | None = None
    tensor: int | None = None
    output: int = 0
    value: Value | None = None


@dataclass(kw_only=True)
class GradNorm(Part):
    """A parameter's gradient norm when a step ended: after clipping, as the optimiser used it."""

    tensor: int
    name: str | None = None
    norm: Annotated[float | None, "null where it had no gradient, or one that is no number"] = None
    not_finite: Literal["nan", "inf"] | None = None


@dataclass(kw_only=True)
class Breakpoint(Part):
    """The conditions of a breakpoint: all given ones must hold."""

    op: Annotated[str | None, "MatMul; before its forward and before its backward"] = None
    name: Annotated[str | None, "before the tensor called so is made, and where its gradient arrives"] = None
    file: Annotated[str | None, "the file of `line`; its end is enough"] = None
    line: int | None = None
    module: Annotated[str | None, "a module's path, name or type: net.0, Linear"] = None
    node: int | None = None
    nan: Annotated[bool, "after what makes a NaN or an infinity of finite numbers"] = False
    norm: Annotated[Annotated[float, Limits(0, 1e308)] | None, "where a gradient arrives that is longer than this"] = (
        None
    )
    phase: Literal["forward", "backward"] | None = None
    once: Annotated[bool, "it goes as soon as the program stops anywhere"] = False


@dataclass(kw_only=True)
class Pause(Part):
    """Where a program is paused. ``after``: the named op or gradient is done; ``before``: it is about to run."""

    number: Annotated[int, "of this pause in the run, from 1; a Control names it, so that it answers no other"]
    reason: Literal["pause", "step", "breakpoint", "run_to"]
    breakpoint: Breakpoint | None = None
    phase: Literal["forward", "backward"]
    when: Literal["before", "after"]
    op: str
    node: Annotated[int | None, "null for an op that has not run: it has no node yet"] = None
    leaf: Annotated[int | None, "the leaf whose gradient has arrived"] = None
    names: list[str] = field(default_factory=list)
    at: Place | None = None
    running_at: Annotated[Place | None, "in backward, the line that started it"] = None
    scope: list[str] = field(default_factory=list)
    from_nodes: Annotated[list[int], "the nodes whose results an op is about to take"] = field(default_factory=list)
    step: int = 0
