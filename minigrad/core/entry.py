"""Entries: places in the graph from which a derivative is taken, apart from where the tensor came from.

A function that is being differentiated gets its input as a leaf of its own. The gradient stops there, at the `Entry`;
an edge leads on from it, so that a derivative taken further out goes through.

    x ── ... ◄── Entry ◄── x as the function sees it ◄── ... ◄── f(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph import Edge, Node, next_sequence_number
from .state import STATE
from .tensor import Tensor, alias, edge_of


class Entry(Node):
    """Where an input enters a function that is being differentiated. Its edge leads on to where the input came from.

    It is `open` as long as the function runs: so long, somebody will want the gradient here.
    """

    __slots__ = ("open",)

    begins = True

    def __init__(self, before: Edge | None) -> None:
        self.open = True
        self.edges = (before,)
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        return (grad,)


def entered(tensor: Tensor) -> Tensor:
    """`tensor` as a leaf of its own: same memory, same tangents, a place in the graph of the innermost level."""
    levels = [each for each in STATE.mode.interpreters if each.size is not None]
    inner = levels[-1].lifted(tensor) if levels else tensor
    result = alias(inner, (Entry(edge_of(inner)), 0))
    carry_tangents(tensor, result)
    return result


def carry_tangents(source: Tensor, target: Tensor) -> None:
    """Let `target`, another tensor on the memory of `source`, move in forward mode as `source` does."""
    if source._extra is not None and source._extra.tangents:
        target.extra.tangents.update(source._extra.tangents)
