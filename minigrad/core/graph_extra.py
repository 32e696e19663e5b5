"""Rare parts of a node (hooks, metadata, tensors that retain their gradient), and methods that are rarely called."""

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
    """The rare parts of a node: hooks, metadata, tensors that retain their gradient."""

    __slots__ = ("tensor_hooks", "retains", "pre", "post", "metadata", "slices")

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, Hooks] = {}
        self.retains: dict[int, weakref.ref[Tensor]] = {}
        self.pre: Hooks = {}
        self.post: Hooks = {}
        self.metadata: dict[Any, Any] = {}
        self.slices: weakref.ref[Any] | None = None
        """For an op that changed a view in place: the `CopySlices` node that wraps it in the graph."""


def extra_of(node: Any) -> Extra:
    """Return the node's `Extra`, created at first use."""
    if node.extra is None:
        node.extra = Extra()
    return node.extra


class NodeExtras:
    """Methods that are attached to `Node`."""

    __slots__ = ()

    inputs_named: ClassVar[tuple[str, ...]] = ()
    """The names of the inputs, if their number is fixed."""

    links: Any

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        """Return the gradient of every input; see `Node`."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say the gradients of its inputs: write run(self, grad, unasked), which "
            "returns one for each, or None."
        )

    def name(self) -> str:
        """Return PyTorch's name for the node, such as MulBackward0."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"

    def shown(self: Any) -> Any:
        """Return this node in a form that a user can inspect."""
        return self

    @property
    def edges(self) -> tuple[Edge | None, ...]:
        """One edge per input for its gradient."""
        return tuple([None if edge[0] is None else edge for edge in self.next_functions])

    @edges.setter
    def edges(self, edges: Sequence[Edge | None]) -> None:
        self.links = links_of(edges)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """One (node, output number) per input, and (None, 0) for inputs that take no gradient."""
        given = [
            NOWHERE if node is None or node.adrift else (node.shown(), output)
            for node, output in zip(self.links[::2], self.links[1::2], strict=True)
        ]
        return (*given, *(NOWHERE,) * (len(self.inputs_named) - len(given)))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary in which users may keep data of their own."""
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
    """Return the op's name for error texts: Mul for a MulBackward0."""
    return node.name().removesuffix("0").removesuffix("Backward")


def created(node: Node) -> int:
    """Return the sequence number of a node."""
    return node.seq if node.seq < SOON else 2 * SOON - node.seq


attach(Node, NodeExtras)
