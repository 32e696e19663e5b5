"""Edges as objects of their own: `GradientEdge` for users, and `Adrift`, a node that leads nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .graph import Node, next_sequence_number


class GradientEdge(NamedTuple):
    """A place in the graph at which a backward pass starts or stops, without the tensor that was there."""

    node: Node
    output_nr: int
    ownership_token: Any = None


class Adrift(Node):
    """The node of a view made under no_grad, or before its base required grad: a gradient for it is dropped."""

    __slots__ = ()

    begins = True
    adrift = True
    links = ()

    def __init__(self) -> None:
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        return ()
