"""The tensor: an array, the memory it shares, and its place in the graph. There is no mathematics here.

`minigrad.ops` attaches operators and mathematical methods, from one table; `core.further`, `core.facts` and
`core.smallprint` attach rarer ones.
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
    TensorExtras = type("TensorExtras", (), {"__slots__": ("__dict__",)})  # attributes that users set

new = object.__new__


class Storage:
    """The memory that a tensor and its views share; it holds their common version."""

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
    """Whether the tensor was made in `inference_mode`."""
    tangents: dict[int, tuple[Tensor, int]] = field(default_factory=dict)
    """The tangent of each forward level, with the version of this tensor that it belongs to."""
    grad_dtype: dtypes.dtype | Literal["own"] | None = "own"
    """The dtype of ``.grad``: the tensor's "own", another, or None for any."""
    turns: tuple[tuple[int, Any], ...] = ()
    """For each in-place transpose of a base: the version it then had, and the op that undoes it (None if none does)."""
    left: int = -1
    """The sequence number at which `detach_` was called: older nodes may have saved the tensor with a history."""

    @property
    def attended(self) -> bool:
        """Whether a gradient that arrives at this leaf runs a hook, or is cast to another dtype than the leaf's."""
        return bool(self.hooks or self.post_accumulate or self.grad_dtype != "own")


class Tensor(TensorExtras):
    """An array that can record how it was computed. Create one with `minigrad.tensor`."""

    __slots__ = ("_array", "_storage", "_backend", "_edge", "_requires_grad", "_grad", "_view", "_extra", "__weakref__")

    _array: Any
    """The elements, in the backend's array type."""
    _storage: Storage
    """The memory, shared by every view; its version is raised by every in-place change."""
    _backend: Backend
    """The array library and device."""
    _edge: graph.Edge | None
    """(node, output number) of the op that made the tensor, if that op was recorded."""
    _requires_grad: bool
    """For a leaf: whether it requires a gradient. For a view, ask `edge_of`."""
    _grad: Tensor | None
    """The gradient accumulated by backward passes so far."""
    _view: View | None
    """For a view: its base, and the ops that lead from there."""
    _extra: TensorExtra | None
    """The rare parts: hooks, the accumulator, tangents."""

    __array_priority__ = 1000  # so that NumPy arrays on the left use Tensor's reflected operators

    def __hash__(self) -> int:
        return id(self)

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return tuple.__new__(Size, self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype of the elements."""
        return dtypes.of(self._array.dtype)

    @property
    def extra(self) -> TensorExtra:
        """The rare parts, created at first use."""
        if self._extra is None:
            self._extra = TensorExtra()
        return self._extra

    def is_inference(self) -> bool:
        """Return whether the tensor was made in `inference_mode`."""
        return self._extra is not None and self._extra.inference

    @property
    def grad_fn(self) -> graph.Node | None:
        """The node that made the tensor, or None for a leaf."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return None if edge is None or edge[0].begins else edge[0].shown()

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted for the tensor, or for one it was computed from; a view asks its base too."""
        if self._view is not None:
            return self._view.base.requires_grad or self._view.edge_of(self) is not None
        return self._edge is not None or self._requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self._set_requires_grad(wanted)

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by backward, or None before the first."""
        if self._grad is None:
            self._warn_if_never_filled()
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._set_grad(grad)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Compute the gradient of this tensor with respect to the leaves, and add it to their ``.grad``.

        A scalar loss needs no arguments; `minigrad.autograd.backward` explains them.
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
    """Create a tensor. Every tensor is created here."""
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
    """Return a new tensor around `array`, outside the graph."""
    return make(array, backend, Storage())


def alias(tensor: Tensor, edge: graph.Edge | None = None) -> Tensor:
    """Return another tensor on the same memory and version, with `edge` as its place in the graph."""
    return make(tensor._array, tensor._backend, tensor._storage, edge)


def as_operand(value: Any) -> Any:
    """Check an operand: a tensor or a number passes, a NumPy array becomes a tensor."""
    if isinstance(value, Tensor) or type(value) in (bool, int, float, complex):
        return value
    from .operands import read

    return read(value)


def foreign(value: Any) -> bool:
    """Return whether `value` is no operand: an operator then leaves the work to its class, or Python refuses it."""
    return not (isinstance(value, (Tensor, int, float, complex)) or hasattr(value, "__array__"))


def edge_of(tensor: Tensor) -> graph.Edge | None:
    """Return the edge for the gradient of `tensor`, or None if it needs none."""
    if tensor._view is not None:
        return tensor._view.edge_of(tensor)
    if tensor._edge is None and tensor._requires_grad:
        return graph.leaf_edge(tensor)
    return tensor._edge


def edges_of(inputs: Sequence[Any]) -> tuple[graph.Edge | None, ...]:
    """Return `edge_of` each input, and None for inputs that are no tensors."""
    return tuple([each._edge or edge_of(each) if isinstance(each, Tensor) else None for each in inputs])
