"""The rest of a tensor: what is asked of it more rarely. A reader of the reading path may leave this file shut.

Hooks, kept gradients, leaving the graph, and the rules for what may be assigned to ``requires_grad`` and ``grad``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import dtypes
from ..errors import ArgumentTypeError, DtypeError, GradError, ShapeError
from ..events import LISTENERS, Detached, emit
from . import graph, tensor
from .batch import Batch
from .grad_mode import refuse_inside_transforms
from .graph_extra import extra_of
from .hooks import RemovableHandle, add_hook
from .state import STATE

if TYPE_CHECKING:
    from .tensor import Tensor


class Further:
    """These methods, for `Tensor` to have."""

    __slots__ = ()

    _array: Any
    _backend: Any
    _edge: Any
    _requires_grad: Any

    def requires_grad_(self: Any, requires_grad: bool = True) -> Tensor:
        """Say whether a gradient is wanted for this leaf; returns the tensor itself."""
        if self.grad_fn is not None:
            if not requires_grad:
                raise GradError(NOT_A_LEAF)
            return self
        if requires_grad and not self.dtype.is_differentiable:
            raise GradError(
                f"only Tensors of floating point dtype can require gradients (and complex ones), this one is "
                f"{self.dtype}. Only Tensors of floating point and complex dtype can require gradients: "
                f"convert it first, for example with .float()."
            )
        if requires_grad and self.is_inference() and not STATE.mode.inference:
            raise GradError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. Clone it first."
            )
        if requires_grad:
            refuse_inside_transforms("Tensor.requires_grad_()")
        if self._view is not None:
            self._view.leaf = requires_grad
        else:
            self._requires_grad = requires_grad
        return self

    @property
    def _version(self: Any) -> int:
        if self.is_inference():
            raise GradError("Inference tensors do not track version counter.")
        return self._storage.version

    @property
    def _base(self: Any) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self: Any) -> bool:
        return self._view is not None

    @property
    def retains_grad(self: Any) -> bool:
        """Whether this non-leaf keeps its gradient."""
        edge = self._edge if self._view is None else self._view.edge
        if edge is None or edge[0].extra is None:
            return False
        kept = edge[0].extra.retains.get(edge[1])
        return kept is not None and kept() is self

    def retain_grad(self: Any) -> None:
        """Keep the gradient of this non-leaf in ``.grad`` too. A leaf does so anyway."""
        if not self.requires_grad:
            raise GradError("can't retain_grad on Tensor that has requires_grad=False")
        refuse_inside_transforms("Tensor.retain_grad()")
        node = self.grad_fn
        if node is not None:
            extra_of(node).retains[self.output_nr] = weakref.ref(self)

    def register_hook(self: Any, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` whenever a gradient for this tensor is computed; what it returns takes its place."""
        if not self.requires_grad:
            raise GradError("cannot register a hook on a tensor that doesn't require gradient")
        edge = tensor.edge_of(self)
        if edge is None or type(edge[0]) is graph.AccumulateGrad:
            return add_hook(self.extra.hooks, hook)
        return add_hook(extra_of(edge[0]).tensor_hooks.setdefault(edge[1], {}), hook)

    def register_post_accumulate_grad_hook(self: Any, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after a gradient was added to this leaf's ``.grad``."""
        if not self.requires_grad:
            raise GradError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise GradError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return add_hook(self.extra.post_accumulate, hook)

    # Leaving the graph

    def detach(self: Any) -> Tensor:
        """The same memory and version, outside the graph."""
        result = tensor.alias(self)
        if type(self._array) is Batch:
            result._array = self._array.detach()
        if self.is_inference():
            result.extra.inference = True
        if LISTENERS:
            emit(Detached(result, self))
        return result

    def detach_(self: Any) -> Tensor:
        """Leave the graph oneself: afterwards it is a leaf that needs no gradient."""
        if self._view is not None:
            raise GradError("Can't detach views in-place. Use detach() instead.")
        if self.grad_fn is not None:
            self.extra.left = graph.next_sequence_number()
        if LISTENERS:
            emit(Detached(self, self))
        self._edge = None
        self._requires_grad = False
        if self._extra is not None:
            self._extra.tangents.clear()
        return self

    @property
    def data(self: Any) -> Tensor:
        """The same memory with a version of its own: writes through it are not noticed. Prefer `detach`."""
        result = tensor.alias(self)
        result._storage = tensor.Storage()
        if self.is_inference():
            result.extra.inference = True
        if LISTENERS:
            emit(Detached(result, self))
        return result

    @data.setter
    def data(self: Any, other: Tensor) -> None:
        if not isinstance(other, tensor.Tensor):
            raise ArgumentTypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
        if self.requires_grad and not other.dtype.is_differentiable:
            raise GradError(
                "data set to a tensor that requires gradients must be floating point or complex dtype, "
                f"not {other.dtype}"
            )
        self._array = other._array
        self._backend = other._backend


NOT_A_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
    "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
)


def check_assignable(leaf: Tensor, grad: Any) -> None:
    """The rules for ``x.grad = grad``."""
    if not isinstance(grad, tensor.Tensor):
        raise ArgumentTypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}"
        )
    if grad is leaf:
        raise GradError("can't assign Variable as its own grad")
    if grad._array.shape != leaf._array.shape:
        raise ShapeError(
            f"attempting to assign a gradient of size '{list(grad._array.shape)}' to a tensor of size "
            f"'{list(leaf._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    wanted = leaf._array.dtype if leaf._extra is None else leaf._extra.grad_dtype_of(leaf)
    if wanted is not None and grad._array.dtype != wanted:
        raise DtypeError(
            f"attempting to assign a gradient with dtype '{grad.dtype.name}' to a tensor with grad_dtype "
            f"'{dtypes.of(wanted).type_name}'. The gradient must match the tensor's grad_dtype, by default its dtype: "
            "convert it with grad.to(tensor.dtype), or set tensor.grad_dtype (None allows any)."
        )
    if grad._backend is not leaf._backend:
        raise GradError(f"attempting to assign a gradient on device '{grad.device}' to a tensor on '{leaf.device}'")
