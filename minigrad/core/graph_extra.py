"""Rare parts of a node (hooks, notes, tensors that retain their gradient), and rare questions about it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import MissingRuleError
from .attachment import attach
from .graph import NOWHERE, SOON, Edge, Node, links_of
from .hooks import Hooks, RemovableHandle, add_hook

if TYPE_CHECKING:
    from .tensor import Tensor


class Extra:
    """The rare parts of a node: hooks, notes, tensors that retain their gradient."""

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


class NodeExtras:
    """These methods, for `Node` to have."""

    __slots__ = ()

    inputs_named: ClassVar[tuple[str, ...]] = ()
    """The names of its inputs, where their number is known."""

    links: Any

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        """The gradient of every input; see `Node`."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say the gradients of its inputs: write run(self, grad, unasked), which "
            "returns one for each, or None."
        )

    def name(self) -> str:
        """The name PyTorch would show: MulBackward0."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"

    def shown(self: Any) -> Any:
        """This node, for a user to look at."""
        return self

    @property
    def edges(self) -> tuple[Edge | None, ...]:
        """The edges for the gradients of its inputs."""
        return tuple([None if edge[0] is None else edge for edge in self.next_functions])

    @edges.setter
    def edges(self, edges: Sequence[Edge | None]) -> None:
        self.links = links_of(edges)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The edges, with (None, 0) for inputs that take no gradient."""
        given = [
            NOWHERE if node is None or node.adrift else (node.shown(), output)
            for node, output in zip(self.links[::2], self.links[1::2], strict=True)
        ]
        return (*given, *(NOWHERE,) * (len(self.inputs_named) - len(given)))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return extra_of(self).metadata

    def _sequence_nr(self: Any) -> int:
        return self.seq

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; it may return other grad_inputs."""
        return add_hook(extra_of(self).post, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before this node runs; it may return other grad_outputs."""
        return add_hook(extra_of(self).pre, hook)


def maker_of(node: Node) -> str:
    """The op's name in errors: Mul for a MulBackward0."""
    return node.name().removesuffix("0").removesuffix("Backward")


def created(node: Node) -> int:
    """The number of a node in the order of creation."""
    return node.seq if node.seq < SOON else 2 * SOON - node.seq


attach(Node, NodeExtras)
