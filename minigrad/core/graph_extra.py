"""What few nodes have: hooks, notes, tensors that retain their gradient."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .hooks import Hooks, RemovableHandle, add_hook

if TYPE_CHECKING:
    from .tensor import Tensor


class Extra:
    """What few nodes have: hooks, notes, tensors that keep their gradient."""

    __slots__ = ("tensor_hooks", "retains", "pre", "post", "metadata", "slices")

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, Hooks] = {}
        self.retains: dict[int, weakref.ref[Tensor]] = {}
        self.pre: Hooks = {}
        self.post: Hooks = {}
        self.metadata: dict[Any, Any] = {}
        self.slices: weakref.ref[Any] | None = None
        """For an op that changed a view in place: the `CopySlices` that holds it, and stands in the graph for it."""


def extra_of(node: Any) -> Extra:
    """The node's `Extra`, made at first use."""
    if node.extra is None:
        node.extra = Extra()
    return node.extra


class Hookable:
    """The hooks and notes of a node."""

    __slots__ = ()

    @property
    def metadata(self: Any) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return extra_of(self).metadata

    def _sequence_nr(self: Any) -> int:
        return self.seq

    def register_hook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; it may return other grad_inputs."""
        return add_hook(extra_of(self).post, hook)

    def register_prehook(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before this node runs; it may return other grad_outputs."""
        return add_hook(extra_of(self).pre, hook)
