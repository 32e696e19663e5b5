"""The less common part of `Tensor`. A first reading of the core can skip this file.

Hooks, retained gradients, detaching, and the rules for what may be assigned to ``requires_grad`` and ``grad``.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from .. import dtypes
from ..absent import ABSENT_IN
from ..errors import ArgumentTypeError, DtypeError, GradError, ShapeError
from ..events import LISTENERS, Detached, emit
from . import graph
from .attachment import attach
from .batch import Batch
from .facts import Facts
from .grad_mode import refuse_inside_transforms
from .graph_extra import extra_of
from .hooks import RemovableHandle, add_hook
from .misspelt import MISSPELT, Absent, Misspelt
from .smallprint import SmallPrint, grad_dtype_of
from .state import STATE
from .tensor import Storage, Tensor, alias, edge_of, wrap

if TYPE_CHECKING:
    from .methods import Methods  # generated: what `minigrad.ops` attaches


class Further:
    """Methods that are attached to `Tensor`."""

    __slots__ = ()

    _array: Any
    _backend: Any
    _edge: Any
    _requires_grad: Any

    def __dir__(self: Any) -> list[str]:
        hidden = {*MISSPELT, *ABSENT_IN["Tensor"], "__cuda_array_interface__", "volatile"}
        return [name for name in object.__dir__(self) if name not in hidden]

    @property
    def is_leaf(self: Any) -> bool:
        """Whether the tensor is a leaf: no recorded op made it."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return edge is None or edge[0].begins

    @property
    def output_nr(self: Any) -> int:
        """The index of this tensor among the outputs of its node."""
        edge = self._edge if self._view is None else self._view.edge_of(self)
        return 0 if edge is None else edge[1]

    # Assignment

    def _set_requires_grad(self: Any, wanted: bool) -> None:
        if not isinstance(wanted, bool):
            raise GradError(f"requires_grad must be a bool, not {type(wanted).__name__}")
        if self.grad_fn is not None:
            raise GradError(NOT_A_LEAF)
        self.requires_grad_(wanted)

    def _set_grad(self: Any, grad: Tensor | None) -> None:
        if grad is not None:
            check_assignable(self, grad)
        self._grad = grad

    def _warn_if_never_filled(self: Any) -> None:
        """Warn when ``.grad`` is read on a tensor that will not store one."""
        edge = self._edge if self._view is None else self._view.edge  # reading .grad must not rebuild a view's history
        if edge is not None and not edge[0].begins and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during autograd.backward(). Call .retain_grad() on it before backward, or look at "
                "the leaf it was computed from.",
                UserWarning,
                stacklevel=3,
            )

    def requires_grad_(self: Any, requires_grad: bool = True) -> Tensor:
        """Set whether this leaf requires a gradient. Return the tensor itself."""
        if not isinstance(requires_grad, bool):
            raise ArgumentTypeError(
                f"requires_grad_(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}"
            )
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
        """Whether this non-leaf tensor retains its gradient."""
        edge = self._edge if self._view is None else self._view.edge
        if edge is None or edge[0].extra is None:
            return False
        kept = edge[0].extra.retains.get(edge[1])
        return kept is not None and kept() is self

    def retain_grad(self: Any) -> None:
        """Store the gradient of this non-leaf tensor in ``.grad`` too. A leaf does so anyway."""
        if not self.requires_grad:
            raise GradError("can't retain_grad on Tensor that has requires_grad=False")
        refuse_inside_transforms("Tensor.retain_grad()")
        node = self.grad_fn
        if node is not None:
            extra_of(node).retains[self.output_nr] = weakref.ref(self)

    def register_hook(self: Any, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when this tensor's gradient is computed. A returned tensor replaces the gradient."""
        if not self.requires_grad:
            raise GradError("cannot register a hook on a tensor that doesn't require gradient")
        edge = edge_of(self)
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
        """Return a tensor with the same memory and version, outside the graph."""
        result = alias(self)
        if type(self._array) is Batch:
            result._array = self._array.detach()
        if self.is_inference():
            result.extra.inference = True
        if LISTENERS:
            emit(Detached(result, self))
        return result

    def detach_(self: Any) -> Tensor:
        """Detach this tensor itself: it becomes a leaf that requires no gradient."""
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
        """A tensor on the same memory with its own version: autograd does not notice writes to it. Prefer `detach`."""
        if type(self._array) is Batch:
            raise GradError("accessing `data` under vmap transform is not allowed: use detach() in its place")
        result = alias(self)
        result._storage = Storage()
        if self.is_inference():
            result.extra.inference = True
        if LISTENERS:
            emit(Detached(result, self))
        return result

    @data.setter
    def data(self: Any, other: Tensor) -> None:
        if type(self._array) is Batch:
            raise GradError("mutating directly with `.data` under vmap transform is not allowed: compute a new tensor")
        if not isinstance(other, Tensor):
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
    """Raise if `grad` may not be assigned to ``leaf.grad``."""
    if not isinstance(grad, Tensor):
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
    wanted = grad_dtype_of(leaf)
    if wanted is not None and grad._array.dtype != wanted:
        raise DtypeError(
            f"attempting to assign a gradient with dtype '{grad.dtype.name}' to a tensor with grad_dtype "
            f"'{dtypes.of(wanted).type_name}'. The gradient must match the tensor's grad_dtype, by default its dtype: "
            "convert it with grad.to(tensor.dtype), or set tensor.grad_dtype (None allows any)."
        )
    if grad._backend is not leaf._backend:
        raise GradError(f"attempting to assign a gradient on device '{grad.device}' to a tensor on '{leaf.device}'")


def _delete_grad(tensor: Tensor) -> None:
    tensor._grad = None


def _cannot_be_deleted(tensor: Tensor) -> NoReturn:
    raise GradError("what autograd keeps of a tensor cannot be deleted; assign to it instead")


def zeros_like(tensor: Tensor) -> Tensor:
    """Return zeros of the shape and dtype of `tensor`, for a gradient that never arrived or a missing tangent."""
    return wrap(tensor._backend.zeros(tensor._array.shape, tensor._array.dtype), tensor._backend)


if TYPE_CHECKING:

    class TensorExtras(Facts, Further, SmallPrint, Methods):
        """Everything that is attached to `Tensor`."""

        __slots__ = ()


for _rest in (SmallPrint, Further, Facts):
    attach(Tensor, _rest)
setattr(Tensor, "grad", Tensor.grad.deleter(_delete_grad))  # type: ignore[attr-defined] # noqa: B010
setattr(Tensor, "_grad_fn", property(lambda self: self.grad_fn))  # noqa: B010
for _name in ("data", "requires_grad", "grad_fn", "_grad_fn", "_backward_hooks"):
    setattr(Tensor, _name, getattr(Tensor, _name).deleter(_cannot_be_deleted))
for _name, _meant in MISSPELT.items():
    setattr(Tensor, _name, Misspelt(_name, _meant))
for _name, _instead in ABSENT_IN["Tensor"].items():
    setattr(Tensor, _name, Absent(_name, _instead))
