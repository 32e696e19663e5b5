"""What is known of a step: the records of one that was recorded whole, or the events and copies of one that was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..source.calls import Call
    from ..source.callsites import Site

Record = dict[str, Any]

FORWARD = ("tensor", "node", "detached", "scope_entered", "scope_left")
"""Types of records that the forward pass makes."""


class Copies:
    """Copies of tensors that are soon overwritten: leaves by the optimiser, gradients by clipping."""

    def __init__(self) -> None:
        self.grads: dict[int, Any] = {}
        """Copies of gradients, by the addresses of their tensors."""
        self.leaves: dict[int, Any] = {}
        """Copies of leaves and of their ``.grad`` before they were written to, by the addresses of these tensors."""
        self.before: dict[int, Any] = {}
        """For each gradient that was added to an existing ``.grad``, by its address: a copy of that; None if large."""


class Script(NamedTuple):
    """The records of a step that was recorded whole."""

    records: list[Record]
    unheard: frozenset[int] = frozenset()
    """The numbers of the nodes that no event of this step tells of: they ran in an earlier step, or autograd made them.
    """

    @property
    def ops(self) -> int:
        """How many ops of its graph events tell of."""
        nodes = [record for record in self.records if record["type"] == "node" and record.get("recorded", True)]
        return sum(record["id"] not in self.unheard for record in nodes)

    @property
    def without_the_rest(self) -> Script:
        """The script without the ops that follow its last backward and the writes after it."""
        end = len(self.records)
        while end and self.records[end - 1]["type"] in FORWARD:
            end -= 1
        return self._replace(records=self.records[:end])


class Note(NamedTuple):
    """What the event of an op, or of the start of a backward, does not tell."""

    site: Site | None
    call: Call
    versions: list[int]
    """The version of each tensor that the op used or made."""


class Notes:
    """What was noted beside the events of a step."""

    def __init__(self, scopes: list[tuple[str, Any]]) -> None:
        self.scopes = scopes
        """The scopes in which the step began, outermost first: the name and the module of each."""
        self.beside: dict[int, Note] = {}
        """The notes, by the addresses of the events."""
        self.written: set[int] = set()
        """The addresses of the leaves that were written to."""


class Step(NamedTuple):
    """The known part of a step that is not recorded whole."""

    number: int
    began: float
    ended: float
    events: list[Any]
    copies: Copies
    notes: Notes | None = None
    """None if the step's ops were expected to be those of a script."""
    written: list[Record] | None = None
    """The records of its forward, if they have been written already."""


def output_shapes(node: Record) -> tuple[Any, ...]:
    """The shape of each output of a node."""
    return tuple(tuple(output["shape"]) for output in node["outputs"])
