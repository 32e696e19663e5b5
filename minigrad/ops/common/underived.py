"""Results without a derivative: they require a gradient like their inputs, and backward through them is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import dtypes
from ...core.graph import Edge, Node, next_sequence_number
from ...core.state import STATE
from ...core.tensor import Tensor, edges_of
from ...errors import MissingRuleError


class Underived(Node):
    """The node of a `function` without a derivative: backward through it raises."""

    __slots__ = ("function",)

    def __init__(self, function: str, edges: tuple[Edge | None, ...]) -> None:
        self.function = function
        self.edges = edges
        self.seq = next_sequence_number()
        self.extra = None

    def name(self) -> str:
        return "NotImplemented"

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        raise MissingRuleError(
            f"the derivative for '{self.function}' is not implemented. Detach its input where no gradient shall flow."
        )


def underived(function: str, result: Tensor, *sources: Any) -> Tensor:
    """Return `result` of `function` with an `Underived` node after `sources` in the graph."""
    edges = edges_of(sources) if STATE.mode.grad else ()
    if any(edge is not None for edge in edges) and dtypes.differentiable(result._array.dtype):
        result._edge = (Underived(function, edges), 0)
    return result
