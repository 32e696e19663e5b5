"""The messages between the server, the programs that publish and the browsers.

The records are defined once, in `minigrad.observe.schema`. Here are the messages that carry them, and the answers over
plain HTTP. `schema` is the JSON Schema of both, from which the explorer's TypeScript types are generated
(``python -m minigrad_webui.protocol``).

    minigrad.observe.schema ── runs, touch ── messages
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import Field, TypeAdapter

from minigrad.observe.publish.wire import PROTOCOL_VERSION
from minigrad.observe.schema import KINDS, RECORDS, SCHEMA_VERSION, parts, records
from minigrad.observe.schema.parts import Breakpoint, Pause

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
from .runs import (
    Distribution,
    Distributions,
    Finding,
    Findings,
    Gradients,
    Graph,
    Health,
    ParameterNorms,
    Run,
    Step,
    Ticket,
    Trouble,
)
from .touch import Touched, TouchedLeaf, TouchedOutput, TouchRequest

__all__ = [
    "PROTOCOL_VERSION", "SCHEMA_VERSION", "RECORD", "LIVE", "schema",
    "Breakpoint", "Pause",
    "ParameterNorms", "Run", "Step", "Ticket", "Trouble",
    "Ack", "Audience", "Batch", "Bye", "Control", "Hello", "Look", "Notice", "Outline", "Problem", "Snapshot",
    "StepUpdate", "Subscribe", "Tile", "Touched", "TouchedLeaf", "TouchedOutput", "TouchRequest", "Welcome",
]  # fmt: skip

_ANY_RECORD: Any = Annotated[reduce(or_, RECORDS.values()), Field(discriminator="type")]
RECORD: TypeAdapter[Any] = TypeAdapter(_ANY_RECORD)
"""Any record, for the JSON Schema. Records that arrive are checked by `minigrad.observe.schema.check`."""


def schema() -> dict[str, Any]:
    """The JSON Schema of all messages, with the list of kinds and the versions."""
    asked = (
        Run,
        Step,
        Gradients,
        Distributions,
        Findings,
        Graph,
        Health,
        Subscribe,
        Control,
        Tile,
        TouchRequest,
        Touched,
    )
    models = [RECORD, LIVE, *(TypeAdapter(m) for m in asked)]
    inputs: list[tuple[int, Literal["serialization"], TypeAdapter[Any]]] = [
        (i, "serialization", m) for i, m in enumerate(models)
    ]
    _, definitions = TypeAdapter.json_schemas(inputs)
    for module in (parts, records):
        for cls in vars(module).values():
            if isinstance(cls, type) and is_dataclass(cls) and cls.__name__ in definitions["$defs"]:
                _describe(cls, definitions["$defs"][cls.__name__])
    union = [RECORDS[kind].__name__ for kind in KINDS]
    versions = {"PROTOCOL_VERSION": PROTOCOL_VERSION, "SCHEMA_VERSION": SCHEMA_VERSION}
    return {**definitions, "unions": {"AnyRecord": union}, "constants": {"KINDS": KINDS, **versions}}


def _describe(cls: type, definition: dict[str, Any]) -> None:
    """Put the texts in the fields' `Annotated` types into the definition."""
    hints = get_type_hints(cls, include_extras=True)
    for field in fields(cls):
        hint = hints[field.name]
        if get_origin(hint) is Annotated:
            for text in get_args(hint)[1:]:
                if isinstance(text, str):
                    definition["properties"][field.name]["description"] = text
