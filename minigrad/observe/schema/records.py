"""The records; each is one thing that happened.

To add a kind: write its class here, and its name in `Kind`. mypy and tsc then name every place that must handle it;
``npm run protocol`` in webui/frontend writes the TypeScript types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NoReturn, cast, get_args

from .parts import (
    LARGEST,
    Breakpoint,
    Count,
    GradNorm,
    Input,
    Limits,
    Memory,
    NotFinite,
    Part,
    Pause,
    Place,
    Root,
    Saved,
    TensorFacts,
    Value,
)

SCHEMA_VERSION = 2
"""The version of the records. A reader names a newer version, refuses it, and keeps the records it could read."""

LONGEST_RUN = 1e10
"""Seconds; some 300 years."""

Kind = Literal[
    "run_started", "source", "tensor", "node", "saved", "released", "mutated", "detached", "backward_started",
    "node_ready", "node_entered", "grad_computed", "grad_reduced", "grad_accumulated", "hook_ran", "backward_finished",
    "anomaly_found", "scope_entered", "scope_left", "numbers", "step_taken", "scalar", "output", "collective_ran",
    "dropped", "paused", "resumed", "breakpoints", "run_finished",
]  # fmt: skip
"""The subjects of records."""


@dataclass(kw_only=True)
class Record(Part):
    """The fields of every record."""

    seq: Annotated[int, Limits(1, LARGEST)]
    t: Annotated[float, Limits(0, LONGEST_RUN)]
    step: Count = 0
    memory: Annotated[Memory | None, "only where it is not what the record before it told"] = None
    memory_of: Annotated[Count | None, "the step, just like this one, in which ``memory`` was measured"] = None
    type: Kind


@dataclass(kw_only=True)
class RunStarted(Record):
    """The first record of every run and of every trace file."""

    type: Literal["run_started"] = "run_started"
    schema_version: int = SCHEMA_VERSION
    id: str
    name: str
    started: Annotated[str, "ISO 8601, UTC"]
    argv: list[str] = field(default_factory=list)
    python: str = ""
    minigrad: str = ""
    values: Literal["auto", "all", "none"] = "auto"
    rank: Annotated[int | None, "of this process, where a launcher started several"] = None
    world_size: Annotated[int | None, "how many it started"] = None
    launch: Annotated[str | None, "what the processes that were started together have in common"] = None


@dataclass(kw_only=True)
class Source(Record):
    """The text of a file of the user's program, sent once, before the first place in it."""

    type: Literal["source"] = "source"
    file: str
    text: str


@dataclass(kw_only=True)
class Tensor(Record, TensorFacts):
    """A tensor that no op of the step made: a leaf, or the result of an earlier step."""

    type: Literal["tensor"] = "tensor"


@dataclass(kw_only=True)
class Node(Record):
    """An op ran. The record contains its outputs, so that one record is enough to draw one box."""

    type: Literal["node"] = "node"
    id: int
    op: Annotated[str, "MatMul"]
    symbol: Annotated[str, "how the user wrote it: @, +, tanh"] = ""
    formula: Annotated[str, "LaTeX of the result"] = ""
    gradients: Annotated[dict[str, str], "input name -> LaTeX of its gradient"] = field(default_factory=dict)
    elementwise: Annotated[bool, "the formula holds for each element, so numbers can be put into it"] = False
    params: dict[str, Any] = field(default_factory=dict)
    inputs: list[Input]
    outputs: list[TensorFacts]
    recorded: Annotated[bool, "False: it ran, but is not in the graph"] = True
    inplace: bool = False
    layer: Annotated[int, "0 forward; 1 made by a backward with create_graph; 2 by its backward; ..."] = 0
    made_by: Annotated[int | None, "the node whose backward made this one: with layer >= 1 or recomputed"] = None
    recomputed: Annotated[bool, "a checkpoint ran its region again, as backward needs what was saved"] = False
    scope: Annotated[list[str], "modules from the outermost in, as 'name:Type'"] = field(default_factory=list)
    calls: Annotated[
        list[str], "the program's functions around it, inside the innermost module: the second call is 'block (2)'"
    ] = field(default_factory=list)
    at: Place | None = None


@dataclass(kw_only=True)
class SavedRecord(Record):
    """A node saves tensors for its backward."""

    type: Literal["saved"] = "saved"
    node: int
    saved: list[Saved]


@dataclass(kw_only=True)
class Released(Record):
    """A node released all its saved tensors."""

    type: Literal["released"] = "released"
    node: int
    bytes: int = 0


@dataclass(kw_only=True)
class Mutated(Record):
    """A tensor was written to in place; ``version`` is the new one. Every view of the storage has it too."""

    type: Literal["mutated"] = "mutated"
    tensor: int
    version: int
    node: int | None = None
    op: str = ""
    grad: Annotated[bool, "it is the .grad of the tensor that was changed; the tensor stays as it was"] = False
    value: Value | None = None
    at: Place | None = None


@dataclass(kw_only=True)
class Detached(Record):
    """A tensor left the graph by ``detach()``, ``detach_()`` or ``.data``.

    No gradient comes back from it to `tensor`.
    """

    type: Literal["detached"] = "detached"
    tensor: int
    result: Annotated[int, "what is outside the graph, introduced when it is used; after detach_() the tensor"]
    at: Place | None = None


@dataclass(kw_only=True)
class BackwardStarted(Record):
    """A run of the backward engine began."""

    type: Literal["backward_started"] = "backward_started"
    run: int
    roots: list[Root]
    create_graph: bool = False
    retain_graph: bool = False
    captures: Annotated[bool, "autograd.grad: the gradients are returned, and no leaf's .grad is touched"] = False
    at: Place | None = None


@dataclass(kw_only=True)
class NodeReady(Record):
    """A node has received all gradients that it waits for. It joined the queue, which now holds ``waiting`` nodes."""

    type: Literal["node_ready"] = "node_ready"
    run: int
    node: int
    waiting: int = 1


@dataclass(kw_only=True)
class NodeEntered(Record):
    """A node starts its backward. ``grads`` has one value per output, null if none arrived or it was not recorded."""

    type: Literal["node_entered"] = "node_entered"
    run: int
    node: int
    grads: list[Value | None]


@dataclass(kw_only=True)
class GradComputed(Record):
    """A node sends a gradient to its input ``index``: to ``to_node``, or to the leaf ``to_leaf``."""

    type: Literal["grad_computed"] = "grad_computed"
    run: int
    node: int
    index: int
    input: str
    to_node: int | None = None
    to_output: int = 0
    to_leaf: int | None = None
    shape: list[int]
    value: Value | None = None


@dataclass(kw_only=True)
class GradReduced(Record):
    """The gradient was summed over axes along which the input had been broadcast."""

    type: Literal["grad_reduced"] = "grad_reduced"
    run: int
    node: int
    index: int
    before: list[int]
    after: list[int]


@dataclass(kw_only=True)
class GradAccumulated(Record):
    """A contribution arrived at a node's output or at a leaf. ``count`` is its number there in this step, from 1."""

    type: Literal["grad_accumulated"] = "grad_accumulated"
    run: int
    node: int | None = None
    output: int = 0
    leaf: int | None = None
    from_node: int | None = None
    count: int = 1
    replaces: Annotated[bool, "no contribution: a hook put this in the place of what had come"] = False
    contribution: Value | None = None
    total: Value | None = None


@dataclass(kw_only=True)
class HookRan(Record):
    """A hook ran; ``changed`` says whether it replaced the gradient."""

    type: Literal["hook_ran"] = "hook_ran"
    kind: Annotated[str, "tensor, node_pre, node, post_accumulate, pack, unpack, multi, module"]
    name: str
    node: int | None = None
    tensor: int | None = None
    changed: bool = False
    before: Value | None = None
    after: Value | None = None


@dataclass(kw_only=True)
class BackwardFinished(Record):
    """The engine run ended, well or with an error."""

    type: Literal["backward_finished"] = "backward_finished"
    run: int
    nodes: int
    error: str | None = None


@dataclass(kw_only=True)
class AnomalyFound(Record):
    """Something is wrong: kind is nan, inf, stale (a saved tensor was changed in place), written (outside autograd)."""

    type: Literal["anomaly_found"] = "anomaly_found"
    kind: str
    node: int | None = None
    tensor: int | None = None
    message: str
    at: Place | None = None


@dataclass(kw_only=True)
class ScopeEntered(Record):
    """A module's forward or a named region began; ``path`` is the scope with it, as in `Node.scope`."""

    type: Literal["scope_entered"] = "scope_entered"
    path: list[str]
    modules: Annotated[
        list[str] | None, "of an outermost module: all modules inside it, as path:Type, in the order of named_modules"
    ] = None


@dataclass(kw_only=True)
class ScopeLeft(Record):
    """The innermost scope ended."""

    type: Literal["scope_left"] = "scope_left"
    path: list[str]


@dataclass(kw_only=True)
class Numbers(Record):
    """The result of each op, in the order in which they ran, of a step whose records were not kept.

    The ops are those of step ``like``, and are its ``nodes``. If no step is like it, ``ops`` has their names.
    """

    type: Literal["numbers"] = "numbers"
    like: int | None = None
    nodes: list[int] = field(default_factory=list)
    ops: list[str] = field(default_factory=list)
    norm: list[float | None]
    min: list[float | None]
    max: list[float | None]
    broken: Annotated[list[list[int]], "an entry, how many NaN, how many infinities: of each op that has any"] = field(
        default_factory=list
    )


@dataclass(kw_only=True)
class StepTaken(Record):
    """The step ended: an optimiser moved the parameters, or the program changed its leaves and computes again."""

    type: Literal["step_taken"] = "step_taken"
    optimizer: str | None = None
    optimizer_new: Annotated[bool, "whether this was the first step of that optimiser"] = False
    loss: Annotated[float | None, "the value of the last one-element root of a backward in this step"] = None
    not_finite: NotFinite = None
    loss_name: Annotated[str | None, "the variable that held it where backward was called"] = None
    grad_norm: Annotated[float | None, "of all gradients together; null where that is no number"] = None
    grad_norms: Annotated[list[GradNorm], "of each parameter, in steps whose values were taken"] = field(
        default_factory=list
    )
    exchanged: Annotated[float | None, "seconds of all exchanges with other ranks, added up; null without any"] = None
    waited: Annotated[float | None, "of these, the seconds in which this rank did nothing but wait"] = None


@dataclass(kw_only=True)
class Scalar(Record):
    """A number the program reports itself, such as accuracy: one point of a curve."""

    type: Literal["scalar"] = "scalar"
    name: str
    value: Annotated[float | None, "null for a NaN or an infinity"] = None


@dataclass(kw_only=True)
class Output(Record):
    """Text that the program printed."""

    type: Literal["output"] = "output"
    stream: Literal["stdout", "stderr"]
    text: str


@dataclass(kw_only=True)
class CollectiveRan(Record):
    """Ranks exchanged data."""

    type: Literal["collective_ran"] = "collective_ran"
    kind: str
    rank: int = 0
    tensors: list[int] = field(default_factory=list)
    seconds: float = 0.0
    reduction: Annotated[str, "sum, mean; empty where nothing is reduced or it is not known"] = ""
    grads: Annotated[bool, "it is the .grad of the tensors that was exchanged"] = False
    sizes: Annotated[list[int], "bytes of what was exchanged of each tensor"] = field(default_factory=list)
    before: Annotated[list[Value | None], "what this rank had of each tensor; empty where nobody knows"] = field(
        default_factory=list
    )
    after: list[Value | None] = field(default_factory=list)
    waited: Annotated[float, "of the seconds, those in which this rank did nothing but wait"] = 0.0
    bucket: Annotated[int | None, "number of the bucket of gradients that travelled together"] = None
    filling: Annotated[float, "seconds it took to fill the bucket, before the exchange began"] = 0.0
    late: Annotated[float, "seconds it had been complete when this was told"] = 0.0
    clock: Annotated[float, "seconds to add to this rank's clock to get that of rank 0"] = 0.0


@dataclass(kw_only=True)
class Dropped(Record):
    """Here ``count`` records were left out, because the queue was full or the run too long."""

    type: Literal["dropped"] = "dropped"
    count: int
    reason: str = ""


@dataclass(kw_only=True)
class Paused(Record):
    """The program is paused from here until `Resumed`."""

    type: Literal["paused"] = "paused"
    pause: Pause


@dataclass(kw_only=True)
class Resumed(Record):
    """The program continues. ``by`` is the command that it got, or nobody, closed, interrupted."""

    type: Literal["resumed"] = "resumed"
    number: int
    by: str


@dataclass(kw_only=True)
class Breakpoints(Record):
    """All breakpoints from here on. The first such record says that the program can be paused."""

    type: Literal["breakpoints"] = "breakpoints"
    breakpoints: list[Breakpoint]


@dataclass(kw_only=True)
class RunFinished(Record):
    """The last record of a run that ended normally or with an error, rather than being killed."""

    type: Literal["run_finished"] = "run_finished"
    status: Literal["finished", "failed", "interrupted"]
    error: str | None = None
    at: Place | None = None


def unhandled(kind: NoReturn) -> AssertionError:
    """Raise the result after handling all kinds: mypy then names a kind that was forgotten."""
    return AssertionError(f"a record of kind {kind!r} is not handled here")


KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds."""

RECORDS: dict[Kind, type[Record]] = {
    cast(Kind, each.__dataclass_fields__["type"].default): each for each in Record.__subclasses__()
}
"""The class of each kind."""

if set(RECORDS) != set(KINDS):
    raise TypeError(f"Kind and the records differ in {sorted(set(RECORDS) ^ set(KINDS))}")
