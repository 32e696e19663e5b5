"""Views: tensors that look into another tensor's memory.

A view knows its *base* (never itself a view) and the *way* from there: the ops, with output numbers, that lead from the
base to it. Its place in the graph is known until the memory is changed in place; `core.slices` then finds the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .state import STATE
from .tensor import Tensor, make

if TYPE_CHECKING:
    from .graph import Edge, Node
    from .op import Op
    from .slices import ViewExtras
else:
    ViewExtras = object

Way = tuple[tuple["Op", int], ...]
"""The ops, with output numbers, that lead from a base to a view of it."""

ViewKind = Literal["", "multi", "no_grad", "inference", "function"]
"""The origin of a view: "" for an ordinary one; the others may not be changed in place."""


class View(ViewExtras):
    """The way a tensor came to share another's memory."""

    __slots__ = ("base", "way", "edge", "version", "leaf", "kind", "home")

    def __init__(self, base: Tensor, way: Way, kind: ViewKind) -> None:
        self.base = base
        self.way = way
        self.edge: Edge | None = None
        self.version = base._storage.version
        self.leaf = False
        """The user said `requires_grad_` to this view of a base that needs no gradient."""
        self.kind: ViewKind = kind
        self.home: tuple[Tensor | None, int] | None = None
        """The dual tensor that it looks into, and how many steps of the way lead there; see `core.forward`."""

    @classmethod
    def of(cls, op: Op, source: Tensor, output: int) -> View:
        """The view that `op` made of `source` as its output number `output`."""
        kind: ViewKind = "" if op.is_view == "view" else "multi"
        if not STATE.mode.grad:
            kind = "inference" if STATE.mode.inference else "no_grad"
        before = source._view
        if before is None:
            return cls(source, ((op, output),), kind)
        view = cls(before.base, (*before.way, (op, output)), kind or before.kind)
        view.home = before.home and before.home_of(source)
        return view

    def connect(self, node: Node, output: int) -> None:
        """The view's place in the graph, as of the memory's present version."""
        self.edge = (node, output)
        self.version = self.base._storage.version

    def edge_of(self, tensor: Tensor) -> Edge | None:
        """The place of `tensor`, whose view this is, in the graph."""
        base = self.base
        changed = self.version != base._storage.version
        if changed or self.leaf or (self.edge is None and (base._edge is not None or base._requires_grad)):
            return self.new_edge_of(tensor)
        return self.edge


def view_of(op: Op, array: Any, source: Tensor, output: int) -> Tensor:
    """`array`, which `op` made as its output of that number, as a view of `source`."""
    tensor = make(array, source._backend, source._storage)
    if source.is_inference():  # it keeps no version, so its views do not follow it
        op.close((tensor,))
    else:
        tensor._view = View.of(op, source, output)
    return tensor
