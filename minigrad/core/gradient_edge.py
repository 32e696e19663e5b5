"""Edges apart from the tensors and ops they belong to: a place to start from, and a place where nothing leads on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .graph import Node, next_sequence_number


class GradientEdge(NamedTuple):
    """A place in the graph to start from or to stop at, without the tensor that was there."""

    node: Node
    output_nr: int
    ownership_token: Any = None


class Adrift(Node):
    """The end of a gradient of a view made unrecorded (under no_grad, or before its base required grad)."""

    __slots__ = ()

    begins = True
    adrift = True
    links = ()

    def __init__(self) -> None:
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        return ()
