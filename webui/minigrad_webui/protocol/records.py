"""The records: one thing that happened each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from .parts import Breakpoint, GradNorm, Input, Memory, Model, NotFinite, Pause, Place, Root, Saved, TensorFacts, Value
from .versions import SCHEMA_VERSION


class Record(Model):
    """What every record carries."""

    seq: int
    t: float
    step: int = 0
    memory: Memory | None = Field(None, description="only where it is not what the record before it told")


class RunStarted(Record):
    """The first record of every run and of every trace file."""

    type: Literal["run_started"] = "run_started"
    schema_version: int = SCHEMA_VERSION
    id: str
    name: str
    started: str = Field(description="ISO 8601, UTC")
    argv: list[str] = []
    python: str = ""
    minigrad: str = ""
    values: Literal["auto", "all", "none"] = "auto"
    rank: int | None = Field(None, description="of this process, where a launcher started several")
    world_size: int | None = Field(None, description="how many it started")
    launch: str | None = Field(None, description="what the processes that were started together have in common")


class Source(Record):
    """The text of a file of the user's program, sent once, before the first place in it."""

    type: Literal["source"] = "source"
    file: str
    text: str


class Tensor(Record, TensorFacts):
    """A tensor that no op of the step made: a leaf, or what an earlier step left."""

    type: Literal["tensor"] = "tensor"


class Node(Record):
    """An op ran. Its outputs follow inside, so that one record draws one box."""

    type: Literal["node"] = "node"
    id: int
    op: str = Field(description="MatMul")
    symbol: str = Field("", description="how the user wrote it: @, +, tanh")
    formula: str = Field("", description="LaTeX of the result")
    gradients: dict[str, str] = Field({}, description="input name -> LaTeX of its gradient")
    elementwise: bool = Field(False, description="the formula holds for each element, so numbers can be put into it")
    params: dict[str, Any] = {}
    inputs: list[Input]
    outputs: list[TensorFacts]
    recorded: bool = Field(True, description="False: it ran, but is not in the graph")
    inplace: bool = False
    layer: int = Field(0, description="0 forward; 1 made by a backward with create_graph; 2 by its backward; ...")
    made_by: int | None = Field(
        None, description="the node whose backward made this one: with layer >= 1 or recomputed"
    )
    recomputed: bool = Field(False, description="a checkpoint ran its region again, as backward needs what was saved")
    scope: list[str] = Field([], description="modules from the outermost in, as 'name:Type'")
    at: Place | None = None


class SavedRecord(Record):
    """A node keeps tensors for its backward."""

    type: Literal["saved"] = "saved"
    node: int
    saved: list[Saved]


class Released(Record):
    """A node let go of all it had saved."""

    type: Literal["released"] = "released"
    node: int
    bytes: int = 0


class Mutated(Record):
    """A tensor was written to in place; ``version`` is the new one. Every view of the storage has it too."""

    type: Literal["mutated"] = "mutated"
    tensor: int
    version: int
    node: int | None = None
    op: str = ""
    grad: bool = Field(False, description="it is the .grad of the tensor that was changed; the tensor stays as it was")
    value: Value | None = None
    at: Place | None = None


class Detached(Record):
    """Something left the graph: ``detach()``, ``detach_()``, ``.data``. No gradient comes back from it to `tensor`."""

    type: Literal["detached"] = "detached"
    tensor: int
    result: int = Field(description="what is outside the graph, introduced when it is used; after detach_() the tensor")
    at: Place | None = None


class BackwardStarted(Record):
    """One run of the engine began."""

    type: Literal["backward_started"] = "backward_started"
    run: int
    roots: list[Root]
    create_graph: bool = False
    retain_graph: bool = False
    captures: bool = Field(
        False, description="autograd.grad: the gradients are returned, and no leaf's .grad is touched"
    )
    at: Place | None = None


class NodeReady(Record):
    """All gradients that a node waits for have come; it joined the queue, which now holds ``waiting`` nodes."""

    type: Literal["node_ready"] = "node_ready"
    run: int
    node: int
    waiting: int = 1


class NodeEntered(Record):
    """A node starts its backward. ``grads`` has one value per output, null where none arrived or none was taken."""

    type: Literal["node_entered"] = "node_entered"
    run: int
    node: int
    grads: list[Value | None]


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


class GradReduced(Record):
    """The gradient was summed over axes along which the input had been broadcast."""

    type: Literal["grad_reduced"] = "grad_reduced"
    run: int
    node: int
    index: int
    before: list[int]
    after: list[int]


class GradAccumulated(Record):
    """A contribution arrived at a node's output or at a leaf. ``count`` is its number there in this step, from 1."""

    type: Literal["grad_accumulated"] = "grad_accumulated"
    run: int
    node: int | None = None
    output: int = 0
    leaf: int | None = None
    from_node: int | None = None
    count: int = 1
    replaces: bool = Field(False, description="no contribution: a hook put this in the place of what had come")
    contribution: Value | None = None
    total: Value | None = None


class HookRan(Record):
    """A hook ran; ``changed`` says whether it replaced the gradient."""

    type: Literal["hook_ran"] = "hook_ran"
    kind: str = Field(description="tensor, node_pre, node, post_accumulate, pack, unpack, multi, module")
    name: str
    node: int | None = None
    tensor: int | None = None
    changed: bool = False
    before: Value | None = None
    after: Value | None = None


class BackwardFinished(Record):
    """The engine run ended, well or with an error."""

    type: Literal["backward_finished"] = "backward_finished"
    run: int
    nodes: int
    error: str | None = None


class AnomalyFound(Record):
    """Something is wrong: kind is nan, inf, stale (a saved tensor was changed in place), written (behind the back)."""

    type: Literal["anomaly_found"] = "anomaly_found"
    kind: str
    node: int | None = None
    tensor: int | None = None
    message: str
    at: Place | None = None


class ScopeEntered(Record):
    """A module's forward or a named region began; ``path`` is the scope with it, as in `Node.scope`."""

    type: Literal["scope_entered"] = "scope_entered"
    path: list[str]
    modules: list[str] | None = Field(
        None, description="of an outermost module: all modules inside it, as path:Type, in the order of named_modules"
    )


class ScopeLeft(Record):
    """The innermost scope ended."""

    type: Literal["scope_left"] = "scope_left"
    path: list[str]


class StepTaken(Record):
    """The step ended: an optimiser moved the parameters, or the program started the next pass by itself."""

    type: Literal["step_taken"] = "step_taken"
    optimizer: str | None = None
    loss: float | None = Field(None, description="the value of the last one-element root of a backward in this step")
    not_finite: NotFinite = None
    grad_norm: float | None = Field(None, description="of all gradients together; null where that is no number")
    grad_norms: list[GradNorm] = Field([], description="of each parameter, in steps whose values were taken")


class Scalar(Record):
    """A number the program reports itself, such as accuracy: one point of a curve."""

    type: Literal["scalar"] = "scalar"
    name: str
    value: float | None = Field(None, description="null for a NaN or an infinity")


class Output(Record):
    """Text that the program printed."""

    type: Literal["output"] = "output"
    stream: Literal["stdout", "stderr"]
    text: str


class CollectiveRan(Record):
    """Ranks exchanged data."""

    type: Literal["collective_ran"] = "collective_ran"
    kind: str
    rank: int = 0
    tensors: list[int] = []
    seconds: float = 0.0
    reduction: str = Field("", description="sum, mean; empty where nothing is reduced or it is not known")
    grads: bool = Field(False, description="it is the .grad of the tensors that was exchanged")
    sizes: list[int] = Field([], description="bytes of what was exchanged of each tensor")
    before: list[Value | None] = Field([], description="what this rank had of each tensor; empty where nobody knows")
    after: list[Value | None] = []


class Dropped(Record):
    """Records were left out here, because the queue was full or the run too long; ``count`` of them."""

    type: Literal["dropped"] = "dropped"
    count: int
    reason: str = ""


class Paused(Record):
    """The program is held still from here on, until `Resumed`."""

    type: Literal["paused"] = "paused"
    pause: Pause


class Resumed(Record):
    """It goes on. ``by``: what it was told, or nobody, closed, interrupted."""

    type: Literal["resumed"] = "resumed"
    number: int
    by: str


class Breakpoints(Record):
    """All breakpoints from here on. The first such record says that the program can be paused."""

    type: Literal["breakpoints"] = "breakpoints"
    breakpoints: list[Breakpoint]


class RunFinished(Record):
    """The last record of a run that could say goodbye."""

    type: Literal["run_finished"] = "run_finished"
    status: Literal["finished", "failed", "interrupted"]
    error: str | None = None
    at: Place | None = None


AnyRecord = Annotated[
    RunStarted
    | Source
    | Tensor
    | Node
    | SavedRecord
    | Released
    | Mutated
    | Detached
    | BackwardStarted
    | NodeReady
    | NodeEntered
    | GradComputed
    | GradReduced
    | GradAccumulated
    | HookRan
    | BackwardFinished
    | AnomalyFound
    | ScopeEntered
    | ScopeLeft
    | StepTaken
    | Scalar
    | Output
    | CollectiveRan
    | Dropped
    | Paused
    | Resumed
    | Breakpoints
    | RunFinished,
    Field(discriminator="type"),
]

RECORD: TypeAdapter[Any] = TypeAdapter(AnyRecord)
"""Checks one record: ``RECORD.validate_python(json.loads(line))``."""
