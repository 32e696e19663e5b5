"""Views: tensors that share another tensor's memory.

A view stores its *base*, which is never a view itself, and its *way*: the ops, with output numbers, that lead from the
base to it. Its place in the graph is valid until the memory is changed in place; `core.slices` then finds the new one.
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
"""How a view was made: "" for an ordinary one; views of the other kinds may not be changed in place."""


class View(ViewExtras):
    """How a tensor shares another's memory: its base, and the ops that lead from the base to it."""

    __slots__ = ("base", "way", "edge", "version", "leaf", "kind", "home")

    def __init__(self, base: Tensor, way: Way, kind: ViewKind) -> None:
        self.base = base
        self.way = way
        self.edge: Edge | None = None
        self.version = base._storage.version
        self.leaf = False
        """Whether the user called `requires_grad_` on this view, whose base needs no gradient."""
        self.kind: ViewKind = kind
        self.home: tuple[Tensor | None, int] | None = None
        """The dual tensor that this view is taken from, and how many ops of the way lead to it; see `core.forward`."""

    @classmethod
    def of(cls, op: Op, source: Tensor, output: int) -> View:
        """Return the view that `op` made of `source` as its output number `output`."""
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
        """Set the view's place in the graph, valid for the memory's present version."""
        self.edge = (node, output)
        self.version = self.base._storage.version

    def edge_of(self, tensor: Tensor) -> Edge | None:
        """Return the place in the graph of `tensor`, the tensor of this view."""
        base = self.base
        changed = self.version != base._storage.version
        if changed or self.leaf or (self.edge is None and (base._edge is not None or base._requires_grad)):
            return self.new_edge_of(tensor)
        return self.edge


def view_of(op: Op, array: Any, source: Tensor, output: int) -> Tensor:
    """Return `array`, output number `output` of `op`, as a tensor that is a view of `source`."""
    tensor = make(array, source._backend, source._storage)
    if source.is_inference():  # it has no version, so its views cannot notice changes
        op.close((tensor,))
    else:
        tensor._view = View.of(op, source, output)
    return tensor
