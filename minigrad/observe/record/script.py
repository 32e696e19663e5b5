"""What is known of a step: the records of one that was recorded whole, or the events and copies of one that was not."""

from __future__ import annotations

from typing import Any, NamedTuple

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
    def without_the_rest(self) -> Script:
        """The script without the ops that follow its last backward and the writes after it."""
        end = len(self.records)
        while end and self.records[end - 1]["type"] in FORWARD:
            end -= 1
        return self._replace(records=self.records[:end])


class Step(NamedTuple):
    """The known part of a step that is not recorded whole."""

    number: int
    began: float
    ended: float
    events: list[Any]
    copies: Copies
    written: list[Record] | None = None
    """The records of its forward, if they have been written already."""


def output_shapes(node: Record) -> tuple[Any, ...]:
    """The shape of each output of a node."""
    return tuple(tuple(output["shape"]) for output in node["outputs"])
