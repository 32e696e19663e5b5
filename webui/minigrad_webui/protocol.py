"""The single truth of the wire and of the trace file.

A *record* is one thing that happened, as plain data. `minigrad.observe.trace` makes records from events; they go to a
trace file, over the wire and into the store in exactly this shape; the TypeScript types of the explorer are generated
from these models (``python -m minigrad_webui.protocol``). Every record carries

- ``seq``: its number in the run, from 1, without gaps;
- ``t``: seconds since the run started;
- ``step``: the training step it belongs to, from 0. A step's records are complete in themselves: every node and tensor
  named in a step was introduced in that step, so one step can be drawn without any other.

Ids of tensors, nodes and backward runs are small integers, unique in a run. Lines of source are 1-based.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

SCHEMA_VERSION = 1
"""Of the records: a reader refuses a newer one by name, and keeps what it could read."""

PROTOCOL_VERSION = 1
"""Of the messages around them."""


class Model(BaseModel):
    """Unknown fields are kept: a newer minor version may say more."""

    model_config = ConfigDict(extra="allow")


# Parts of records -----------------------------------------------------------------------------------------------------


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


class Place(Model):
    """A line of the user's own program. ``code`` is the expression where Python knows it, else the stripped line."""

    file: str
    line: int
    function: str = ""
    code: str = ""


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


# Records --------------------------------------------------------------------------------------------------------------


class Record(Model):
    """What every record carries."""

    seq: int
    t: float
    step: int = 0


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


class Source(Record):
    """The text of a file of the user's program, sent once, before the first place in it."""

    type: Literal["source"] = "source"
    file: str
    text: str


class Tensor(Record):
    """A tensor, when it is first seen in a step. ``name`` is the parameter's path or the user's variable."""

    type: Literal["tensor"] = "tensor"
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
    outputs: list[Tensor] = Field(description="seq, t and step are those of the node")
    recorded: bool = Field(True, description="False: it ran, but is not in the graph")
    inplace: bool = False
    layer: int = Field(0, description="0 forward; 1 made by a backward with create_graph; 2 by its backward; ...")
    made_by: int | None = Field(None, description="the node whose backward made this one, for layer >= 1")
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
    value: Value | None = None
    at: Place | None = None


class BackwardStarted(Record):
    """One run of the engine began."""

    type: Literal["backward_started"] = "backward_started"
    run: int
    roots: list[Root]
    create_graph: bool = False
    retain_graph: bool = False
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


class ScopeLeft(Record):
    """The innermost scope ended."""

    type: Literal["scope_left"] = "scope_left"
    path: list[str]


class StepTaken(Record):
    """The step ended: an optimiser moved the parameters, or the program started the next pass by itself."""

    type: Literal["step_taken"] = "step_taken"
    optimizer: str | None = None
    loss: float | None = Field(None, description="the value of the last one-element root of a backward in this step")
    grad_norm: float | None = None


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


# HTTP -----------------------------------------------------------------------------------------------------------------


class Run(Model):
    """A run, as the list of runs shows it."""

    id: str
    name: str
    status: Literal["running", "finished", "failed", "interrupted", "lost"]
    started: str
    ended: str | None = None
    records: int = 0
    steps: int = 0
    loss: float | None = None
    error: str | None = None
    paused: Pause | None = Field(None, description="where the program is held, while it is running")
    breakpoints: list[Breakpoint] = []
    control: bool = Field(False, description="while it is running it takes Control messages")


class Step(Model):
    """One row of the timeline: where a step's records lie and what it came to."""

    step: int
    first: int
    last: int
    nodes: int = 0
    backwards: int = 0
    loss: float | None = None
    grad_norm: float | None = None
    values: bool = Field(False, description="values were taken in this step")
    done: bool = False


class Graph(Model):
    """One step's graph at its end: the nodes, the tensors, and nothing of how it came to be."""

    run: str
    step: int
    nodes: list[Node]
    tensors: list[Tensor]


class Health(Model):
    """The server is up."""

    status: Literal["ok"] = "ok"
    minigrad: str
    protocol: int = PROTOCOL_VERSION
    schema_version: int = SCHEMA_VERSION
    runs: int = 0


# Messages: a program publishes ----------------------------------------------------------------------------------------


class Hello(Model):
    """Publisher to server, first. The same id again after a broken connection continues the run."""

    type: Literal["hello"] = "hello"
    protocol: int = PROTOCOL_VERSION
    schema_version: int = SCHEMA_VERSION
    run: str
    name: str
    started: str


class Welcome(Model):
    """Server to publisher: records up to ``have`` are stored; send what comes after."""

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
    """Server to publisher: so many viewers watch the run now. Nobody else could continue a program that is paused."""

    type: Literal["audience"] = "audience"
    viewers: int


class Bye(Model):
    """Publisher to server: the program ended."""

    type: Literal["bye"] = "bye"


class Problem(Model):
    """Server to either: what went wrong and what to do; the connection then closes."""

    type: Literal["problem"] = "problem"
    code: str
    message: str


# Messages: a viewer watches -------------------------------------------------------------------------------------------


class Subscribe(Model):
    """Viewer to server, first. ``step`` null follows the newest step, a number holds that one."""

    type: Literal["subscribe"] = "subscribe"
    protocol: int = PROTOCOL_VERSION
    step: int | None = None


class Control(Model):
    """Viewer to server, which passes it on to the program.

    ``pause``: at the next op, node or leaf; ``step`` to the one after; ``over`` the module; ``run_to`` a breakpoint,
    one time; ``stop`` ends the program; ``break`` and ``unbreak`` set and take away a breakpoint.
    """

    type: Literal["control"] = "control"
    protocol: int = PROTOCOL_VERSION
    action: Literal["pause", "step", "over", "continue", "run_to", "stop", "break", "unbreak"]
    number: int | None = Field(None, description="of the pause that this answers; of another one it is ignored")
    breakpoint: Breakpoint | None = Field(None, description="for break, unbreak and run_to")

    @model_validator(mode="after")
    def _says_where(self) -> Control:
        if self.breakpoint is None and self.action in ("run_to", "break", "unbreak"):
            raise ValueError(f"{self.action!r} needs a breakpoint")
        return self


class Notice(Model):
    """Server to viewer: what was asked for was not done, and why. The connection stays."""

    type: Literal["notice"] = "notice"
    code: str
    message: str


class Snapshot(Model):
    """Server to viewer: the whole picture. Sent first, after a gap, and when the followed step changes.

    ``records`` holds the run's sources and every record of ``step`` up to ``seq``; later ones come in batches.
    """

    type: Literal["snapshot"] = "snapshot"
    run: Run
    steps: list[Step] = Field(description="all, or the newest 2,000 with every n-th older one")
    step: int
    seq: int
    records: list[dict[str, Any]]


class StepUpdate(Model):
    """Server to viewer: rows of the timeline that changed, and how the run stands."""

    type: Literal["steps"] = "steps"
    run: Run
    steps: list[Step]


LIVE: TypeAdapter[Any] = TypeAdapter(
    Annotated[Snapshot | Batch | StepUpdate | Notice | Problem, Field(discriminator="type")]
)
"""What a viewer receives."""


def schema() -> dict[str, Any]:
    """JSON Schema of everything above; the explorer's TypeScript types are generated from it."""
    models = [RECORD, LIVE, *(TypeAdapter(m) for m in (Run, Step, Graph, Health, Subscribe, Control))]
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (i, "serialization", m) for i, m in enumerate(models)
    ]
    _, definitions = TypeAdapter.json_schemas(inputs)
    return definitions


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, sort_keys=True))
