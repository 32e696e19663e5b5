"""Entries: graph nodes at which a function transform takes its derivative.

`func.grad` and the like give the function a new leaf for each input. The inner gradient stops at the leaf's `Entry`. An
edge leads on from it to the input's own node, so that an outer derivative passes through.

    x ── ... ◄── Entry ◄── x as the function sees it ◄── ... ◄── f(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .batch import Batch
from .graph import Edge, Node, next_sequence_number
from .state import STATE
from .tensor import Tensor, alias, edge_of


class Entry(Node):
    """The node of an input inside a function that is being differentiated. Its edge leads to the input's own node.

    It is `open` while the function runs, that is, while a gradient may still be asked for here.
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
    """Return `tensor` as a new leaf: same memory, same tangents, and an `Entry` in the innermost level's graph."""
    levels = [each for each in STATE.mode.interpreters if each.size is not None]
    inner = levels[-1].lifted(tensor) if levels else tensor
    result = alias(inner, (Entry(edge_of(inner)), 0))
    carry_tangents(tensor, result)
    return result


def carry_tangents(source: Tensor, target: Tensor) -> None:
    """Copy the forward-mode tangents of `source` to `target`, another tensor on the same memory."""
    if source._extra is not None and source._extra.tangents:
        target.extra.tangents.update(source._extra.tangents)


def leads_outside(tensors: Sequence[Any]) -> bool:
    """Return whether a gradient of `tensors` or of their tangents would reach a leaf or an open entry, at any level."""
    tensors = [each for each in tensors if isinstance(each, Tensor)]
    inside = [each._array.value for each in tensors if type(each._array) is Batch]
    for each in tensors:
        if each._extra is not None:
            inside += [tangent for tangent, _ in each._extra.tangents.values()]
    if inside and leads_outside(inside):
        return True
    seen: set[Node] = set()
    waiting = [edge[0] for each in tensors if (edge := edge_of(each)) is not None]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        if node.begins and (type(node) is not Entry or node.open):
            return True
        seen.add(node)
        waiting += [edge[0] for edge in node.edges if edge is not None]
    return False


def outside(tensor: Any, connected: bool) -> Any:
    """Return `tensor` as a function's result, detached unless its graph leads to a leaf or an open entry."""
    if connected or not isinstance(tensor, Tensor) or edge_of(tensor) is None:
        return tensor
    left = alias(tensor)
    carry_tangents(tensor, left)
    return left
