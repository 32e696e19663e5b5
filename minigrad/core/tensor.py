"""The tensor: an array, the memory it shares, and its place in the graph. There is no mathematics here.

Operators and mathematical methods are attached by `minigrad.ops`, from one table; what is rarely asked of a tensor by
`core.further`, `core.facts` and `core.smallprint`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .. import dtypes
from . import graph
from .size import Size
from .state import STATE

if TYPE_CHECKING:
    from ..backend import Backend
    from .further import TensorExtras
    from .view import View
else:
    TensorExtras = type("TensorExtras", (), {"__slots__": ("__dict__",)})  # attributes that a program writes

new = object.__new__


class Storage:
    """The memory that a tensor and its views share; what matters of it here is its version."""

    version = 0


@dataclass(slots=True, eq=False)
class TensorExtra:
    """The rare parts of a tensor."""

    accumulator: weakref.ref[graph.AccumulateGrad] | None = None
    """For a leaf: the node that adds to its ``.grad``."""
    hooks: dict[int, Any] = field(default_factory=dict)
    post_accumulate: dict[int, Any] = field(default_factory=dict)
    name: str | None = None
    inference: bool = False
    """Whether it was made in `inference_mode`."""
    tangents: dict[int, tuple[Tensor, int]] = field(default_factory=dict)
    """By forward level: the tangent, and the version of this tensor that it belongs to."""
    grad_dtype: dtypes.dtype | Literal["own"] | None = "own"
    """The element type of ``.grad``: the tensor's "own", another, or None for whatever arrives."""
    turns: tuple[tuple[int, Any], ...] = ()
    """For a base turned in place: the version it then had, and the op that turns it back (None if none does)."""
    left: int = -1
    """When it left its graph by `detach_`, as a node's ``seq``: older nodes may have saved it with a history."""

    @property
    def attended(self) -> bool:
        """Whether a gradient that arrives at this leaf meets a hook, or is cast to another type than the leaf's."""
        return bool(self.hooks or self.post_accumulate or self.grad_dtype != "own")


class Tensor(TensorExtras):
    """An array that can remember how it was made. Create one with `minigrad.tensor`."""

    __slots__ = ("_array", "_storage", "_backend", "_edge", "_requires_grad", "_grad", "_view", "_extra", "__weakref__")

    _array: Any
    """The elements, in the backend's array type."""
    _storage: Storage
    """The memory behind them: a version, shared by every view, raised by every in-place change."""
    _backend: Backend
    """The array library and device."""
    _edge: graph.Edge | None
    """(node, output number) of the op that made it, where that op was recorded."""
    _requires_grad: bool
    """For a leaf: whether a gradient is wanted. A view is asked through `edge_of`."""
    _grad: Tensor | None
    """The gradient accumulated by backward so far."""
    _view: View | None
    """For a view: its base and the ops that lead from there."""
    _extra: TensorExtra | None
    """The rare parts: hooks, the accumulator, a tangent."""

    __array_priority__ = 1000  # NumPy arrays on the left let our reflected operators run

    def __hash__(self) -> int:
        return id(self)

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return tuple.__new__(Size, self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return dtypes.of(self._array.dtype)

    @property
    def extra(self) -> TensorExtra:
        """The rare things, made at first use."""
        if self._extra is None:
            self._extra = TensorExtra()
        return self._extra

    def is_inference(self) -> bool:
        """Whether it was made in `inference_mode`."""
        return self._extra is not None and self._extra.inference

    @property
    def grad_fn(self) -> graph.Node | None:
        """The node that made it, None for a leaf."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return None if edge is None or edge[0].begins else edge[0].shown()

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted for it, or for something it was computed from; a view asks for its base too."""
        if self._view is not None:
            return self._view.base.requires_grad or self._view.edge_of(self) is not None
        return self._edge is not None or self._requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self._set_requires_grad(wanted)

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by backward, None before the first."""
        if self._grad is None:
            self._warn_if_never_filled()
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._set_grad(grad)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Compute the gradient of this tensor with respect to the leaves, adding it to their ``.grad``.

        A scalar loss needs no arguments. See `minigrad.autograd.backward` for what they mean.
        """
        mode, array, edge = STATE.mode, self._array, edge_of(self)
        usual = (
            gradient is None and inputs is None and not (create_graph or mode.passes or mode.slow or mode.transforms)
        )
        if usual and edge is not None and array.size == 1 and dtypes.plain(array.dtype):
            from .engine import Pass

            seed = wrap(self._backend.ones(array.shape, array.dtype), self._backend)
            Pass([(edge, seed)], None, bool(retain_graph), False).execute()
        else:
            from .differentiate import backward

            backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def make(array: Any, backend: Backend, storage: Storage, edge: graph.Edge | None = None) -> Tensor:
    """A new tensor: every tensor is made here."""
    tensor = new(Tensor)
    tensor._array = array
    tensor._storage = storage
    tensor._backend = backend
    tensor._edge = edge
    tensor._requires_grad = False
    tensor._grad = None
    tensor._view = None
    tensor._extra = None
    return tensor


def wrap(array: Any, backend: Backend) -> Tensor:
    """A new tensor around `array`, outside the graph."""
    return make(array, backend, Storage())


def alias(tensor: Tensor, edge: graph.Edge | None = None) -> Tensor:
    """Another tensor on the same memory and version, with `edge` as its place in the graph."""
    return make(tensor._array, tensor._backend, tensor._storage, edge)


def as_operand(value: Any) -> Any:
    """Check a value in the place of a tensor: a tensor or a number passes; a NumPy array becomes a tensor."""
    if isinstance(value, Tensor) or type(value) in (bool, int, float, complex):
        return value
    from .operands import read

    return read(value)


def foreign(value: Any) -> bool:
    """Whether `value` is of a class that may know tensors: an operator then leaves it to that class."""
    known = isinstance(value, (Tensor, int, float, complex)) or hasattr(value, "__array__")
    return not known and type(value).__module__ != "builtins"


def edge_of(tensor: Tensor) -> graph.Edge | None:
    """The edge for the gradient of `tensor`, None where it needs none."""
    if tensor._view is not None:
        return tensor._view.edge_of(tensor)
    if tensor._edge is None and tensor._requires_grad:
        return graph.leaf_edge(tensor)
    return tensor._edge


def edges_of(inputs: Sequence[Any]) -> tuple[graph.Edge | None, ...]:
    """`edge_of` each input, None for what is no tensor."""
    return tuple([each._edge or edge_of(each) if isinstance(each, Tensor) else None for each in inputs])
