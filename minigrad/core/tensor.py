"""The tensor: an array, the memory it shares, and its place in the graph. There is no mathematics here.

What a tensor holds:

    _array          the numbers, in the backend's array type
    _storage        the memory behind them: a version, shared by every view, raised by every in-place change
    _backend        the array library and device
    _edge           (node, output number) of the op that made it, where that op was recorded
    _requires_grad  for a leaf: whether a gradient is wanted
    _grad           what backward has accumulated so far
    _view           for a view: its base and the way from there (see `core.view`)
    _extra          what few tensors have: hooks, the accumulator, a tangent

Operators and mathematical methods are attached by `minigrad.ops`, from one table.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .. import dtypes
from ..backend import Backend
from ..errors import GradError
from . import graph
from .facts import Facts
from .further import NOT_A_LEAF, Further, check_assignable
from .graph import Node
from .hooks import Hooks
from .misspelt import MISSPELT, Misspelt
from .smallprint import SmallPrint

new = object.__new__


class Storage:
    """The memory that a tensor and its views share; what matters of it here is its version."""

    version = 0


class TensorExtra:
    """What few tensors have."""

    __slots__ = (
        "accumulator", "hooks", "post_accumulate", "name", "inference", "tangents", "grad_dtype", "turns", "left",
    )  # fmt: skip

    def __init__(self) -> None:
        self.accumulator: weakref.ref[graph.AccumulateGrad] | None = None
        self.hooks: Hooks = {}
        self.post_accumulate: Hooks = {}
        self.name: str | None = None
        self.inference = False
        self.tangents: dict[int, tuple[Tensor, int]] = {}
        """By forward level: the tangent, and the version of this tensor that it belongs to."""
        self.grad_dtype: dtypes.dtype | str | None = "own"
        """Which element type ``.grad`` has: the tensor's "own", another, or None for whatever arrives."""
        self.turns: tuple[tuple[int, Any], ...] = ()
        """For a base turned in place: the version it then had, and the op that turns it back (None if none does)."""
        self.left = -1
        """When it left its graph by `detach_`, as a node's ``seq``: older nodes may have saved it with a history."""

    @property
    def attended(self) -> bool:
        """Whether a gradient that arrives at this leaf meets a hook, or is cast to another type than the leaf's."""
        return bool(self.hooks or self.post_accumulate or self.grad_dtype != "own")

    def grad_dtype_of(self, leaf: Tensor) -> Any:
        """What a gradient is cast to before it is added to ``leaf.grad``, None for nothing."""
        wanted = self.grad_dtype
        return leaf._array.dtype if wanted == "own" else None if wanted is None else wanted.numpy  # type: ignore[union-attr]


if TYPE_CHECKING:
    from .methods import Methods  # generated: what `minigrad.ops` attaches
else:
    Methods = object


class Tensor(Facts, Further, SmallPrint, Methods):
    """An array that can remember how it was made. Create one with `minigrad.tensor`."""

    __slots__ = (
        "_array",
        "_storage",
        "_backend",
        "_edge",
        "_requires_grad",
        "_grad",
        "_view",
        "_extra",
        "__weakref__",
    )

    _array: Any
    _storage: Storage
    _backend: Backend
    _edge: graph.Edge | None
    _requires_grad: bool
    _grad: Tensor | None
    _view: Any
    _extra: TensorExtra | None

    __array_priority__ = 1000  # NumPy arrays on the left let our reflected operators run

    def __hash__(self) -> int:
        return id(self)

    # Its place in the graph

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it, None for a leaf."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return None if edge is None or edge[0].begins else edge[0]

    @property
    def output_nr(self) -> int:
        """Which output of its node it is."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return 0 if edge is None else edge[1]

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user, or where nothing was recorded, rather than by a recorded op."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return edge is None or edge[0].begins

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted for it, or for something it was computed from; a view asks for its base too."""
        if self._view is not None:
            return self._view.base.requires_grad or self._view.edge_of(self) is not None
        return self._edge is not None or self._requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if self.grad_fn is not None:
            raise GradError(NOT_A_LEAF)
        self.requires_grad_(wanted)

    def is_inference(self) -> bool:
        """Whether it was made in `inference_mode`."""
        return self._extra is not None and self._extra.inference

    @property
    def extra(self) -> TensorExtra:
        """The rare things, made at first use."""
        if self._extra is None:
            self._extra = TensorExtra()
        return self._extra

    # The gradient

    @property
    def grad(self) -> Tensor | None:
        """What backward has accumulated, None before the first."""
        edge = self._edge if self._view is None else self._view.edge  # to look at a gradient remakes no history
        if self._grad is None and edge is not None and not edge[0].begins and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during autograd.backward(). Call .retain_grad() on it before backward, or look at "
                "the leaf it was computed from.",
                UserWarning,
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            check_assignable(self, grad)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradient of this tensor with respect to the leaves, adding it to their ``.grad``."""
        from .differentiate import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def _cannot_be_deleted(tensor: Tensor) -> NoReturn:
    raise GradError("what autograd keeps of a tensor cannot be deleted; assign to it instead")


for _name in ("data", "requires_grad", "grad_fn", "_backward_hooks"):
    setattr(Tensor, _name, getattr(Tensor, _name).deleter(_cannot_be_deleted))
for _name, _meant in MISSPELT.items():
    setattr(Tensor, _name, Misspelt(_name, _meant))


def wrap(array: Any, backend: Backend) -> Tensor:
    """A new tensor around `array`, outside the graph."""
    tensor = new(Tensor)
    tensor._array = array
    tensor._storage = Storage()
    tensor._backend = backend
    tensor._edge = None
    tensor._requires_grad = False
    tensor._grad = None
    tensor._view = None
    tensor._extra = None
    return tensor


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of the shape and type of `tensor`: a gradient that never came, the tangent of what does not move."""
    return wrap(tensor._backend.zeros(tensor._array.shape, tensor._array.dtype), tensor._backend)


def alias(tensor: Tensor, edge: graph.Edge | None = None) -> Tensor:
    """Another tensor on the same memory and version, with `edge` as its place in the graph."""
    other = new(Tensor)
    other._array = tensor._array
    other._storage = tensor._storage
    other._backend = tensor._backend
    other._edge = edge
    other._requires_grad = False
    other._grad = None
    other._view = None
    other._extra = None
    return other


def edge_of(tensor: Tensor) -> graph.Edge | None:
    """Where the gradient of `tensor` goes, None where it needs none."""
    if tensor._view is not None:
        return tensor._view.edge_of(tensor)
    if tensor._edge is None and tensor._requires_grad:
        return graph.leaf_edge(tensor)
    return tensor._edge


def edges_of(inputs: Sequence[Any]) -> tuple[graph.Edge | None, ...]:
    """`edge_of` each input, None for what is no tensor."""
    edges: list[graph.Edge | None] = []
    for each in inputs:
        if isinstance(each, Tensor):
            edge = each._edge
            edges.append(edge_of(each) if edge is None and each._requires_grad else edge)
        else:
            edges.append(None)
    return tuple(edges)
