"""The single truth of the wire and of the trace file.

A *record* is one thing that happened, as plain data. `minigrad.observe.record.trace` makes records from events; they go
to a trace file, over the wire and into the store in exactly this shape; the explorer's TypeScript types are generated
from these models (``python -m minigrad_webui.protocol``).

    parts ── records ── runs ── messages

`records` are made of `parts`; `runs` are what is asked for by plain HTTP; `messages` go over the two WebSockets. Every
record carries

- ``seq``: its number in the run, from 1, without gaps;
- ``t``: seconds since the run started;
- ``step``: the training step it belongs to, from 0. A step's records are complete in themselves: every node and tensor
  named in a step was introduced in that step, so one step can be drawn without any other.

Ids of tensors, nodes and backward runs are small integers, unique in a run. Lines of source are 1-based.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from .messages import (
    LIVE,
    Ack,
    Audience,
    Batch,
    Bye,
    Control,
    Hello,
    Look,
    Notice,
    Outline,
    Problem,
    Snapshot,
    StepUpdate,
    Subscribe,
    Tile,
    Welcome,
)
from .parts import Breakpoint, GradNorm, Input, Memory, Model, Pause, Place, Root, Saved, TensorFacts, Value
from .records import (
    RECORD,
    AnomalyFound,
    AnyRecord,
    BackwardFinished,
    BackwardStarted,
    Breakpoints,
    CollectiveRan,
    Detached,
    Dropped,
    GradAccumulated,
    GradComputed,
    GradReduced,
    HookRan,
    Mutated,
    Node,
    NodeEntered,
    NodeReady,
    Output,
    Paused,
    Record,
    Released,
    Resumed,
    RunFinished,
    RunStarted,
    SavedRecord,
    Scalar,
    ScopeEntered,
    ScopeLeft,
    Source,
    StepTaken,
    Tensor,
)
from .runs import Gradients, Graph, Health, ParameterNorms, Run, Step
from .versions import PROTOCOL_VERSION, SCHEMA_VERSION

__all__ = [
    "PROTOCOL_VERSION",
    "SCHEMA_VERSION",
    "Breakpoint",
    "GradNorm",
    "Input",
    "Memory",
    "Model",
    "Pause",
    "Place",
    "Root",
    "Saved",
    "TensorFacts",
    "Value",
    "AnomalyFound",
    "AnyRecord",
    "BackwardFinished",
    "BackwardStarted",
    "Breakpoints",
    "CollectiveRan",
    "Detached",
    "Dropped",
    "GradAccumulated",
    "GradComputed",
    "GradReduced",
    "HookRan",
    "Mutated",
    "Node",
    "NodeEntered",
    "NodeReady",
    "Output",
    "Paused",
    "RECORD",
    "Record",
    "Released",
    "Resumed",
    "RunFinished",
    "RunStarted",
    "SavedRecord",
    "Scalar",
    "ScopeEntered",
    "ScopeLeft",
    "Source",
    "StepTaken",
    "Tensor",
    "Gradients",
    "Graph",
    "Health",
    "ParameterNorms",
    "Run",
    "Step",
    "Ack",
    "Audience",
    "Batch",
    "Bye",
    "Control",
    "Hello",
    "LIVE",
    "Look",
    "Notice",
    "Outline",
    "Problem",
    "Snapshot",
    "StepUpdate",
    "Subscribe",
    "Tile",
    "Welcome",
    "schema",
]


def schema() -> dict[str, Any]:
    """JSON Schema of everything here; the explorer's TypeScript types are generated from it."""
    models = [RECORD, LIVE, *(TypeAdapter(m) for m in (Run, Step, Gradients, Graph, Health, Subscribe, Control, Tile))]
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (i, "serialization", m) for i, m in enumerate(models)
    ]
    _, definitions = TypeAdapter.json_schemas(inputs)
    return definitions
