"""In-place views: ``x.t_()`` transposes x itself, instead of returning a second tensor on its memory.

The tensor becomes what the view would be. Its history continues with the view's node, and its version is raised, since
a node that saved it would find another shape. A base also stores how to undo the change, so that its earlier views
still see its old form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import Op
from ...core.slices import check_writable
from ...core.state import STATE
from ...core.tensor import Tensor, alias, edge_of
from ...errors import GradError
from ..common.dims import checked_sizes, sizes_of
from . import permute
from . import strided as windows
from . import views as shape


def _in_place(function: Callable[..., Any]) -> Any:
    """Return the method ``x.<function>_(...)`` for a function that returns a view of its first argument."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, self.requires_grad, True)
        become(self, function(_as_it_was(self), *args, **kwargs))
        return self

    method.__name__ = method.__qualname__ = function.__name__ + "_"
    method.__doc__ = f"In place: {function.__doc__}"
    return method


def _as_it_was(tensor: Tensor) -> Tensor:
    """Return another tensor with the same memory, place in the graph, and base."""
    source = alias(tensor, tensor._edge)
    source._view, source._requires_grad = tensor._view, tensor._requires_grad
    return source


def become(tensor: Tensor, made: Tensor) -> None:
    """Give `tensor` the shape and history of `made`, a view of its old form."""
    edge, before = edge_of(made), tensor._array.shape
    tensor._array = made._array
    tensor._storage.version += 1
    if tensor._view is None:
        tensor._edge, tensor._requires_grad = edge, False
        if made._view is not None:
            tensor.extra.turns += ((tensor._storage.version, _back(made._view.way[-1][0], before)),)
        return
    kind, tensor._view = tensor._view.kind, made._view
    if made._view is not None and not STATE.mode.grad:
        made._view.kind = kind  # changed in no_grad mode, it keeps its kind of view
    if edge is not None and made._view is not None:
        made._view.connect(*edge)


def _back(op: Op, before: tuple[int, ...]) -> Op | None:
    """Return the op that undoes `op`, which was called on the shape `before`; None if there is none."""
    if isinstance(op, (permute.Transpose, permute.MatrixTranspose)):
        return op.again()
    if isinstance(op, (shape.Squeeze, shape.Unsqueeze)):
        return shape.Reshape(before)
    if isinstance(op, permute.Permute):
        return permute.Permute(tuple(sorted(range(len(before)), key=lambda dim: op.dims[dim])))
    return None


# Memory of another size -----------------------------------------------------------------------------------------------


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Change the sizes in place: elements are kept row by row; extra ones are dropped, new ones are uninitialised."""
    wanted = sizes_of(sizes)
    check_writable(self, False, True)
    if self.requires_grad and not STATE.mode.inference:
        raise GradError("cannot resize variables that require grad. Detach it first, or make a new tensor.")
    checked_sizes(wanted)
    if wanted != self._array.shape:
        fresh = self._backend.zeros(wanted, self._array.dtype)
        count = min(fresh.size, self._array.size)
        fresh.reshape(-1)[:count] = self._array.reshape(-1)[:count]
        self._array = fresh
        self._storage.version += 1
    return self


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Do what `resize_` does, with the sizes of another tensor."""
    return resize_(self, tuple(the_template.shape))


INPLACE = {
    **{
        each.__name__ + "_": _in_place(each)
        for each in (shape.squeeze, shape.unsqueeze, permute.t, permute.transpose, windows.as_strided)
    },
    "swapaxes_": _in_place(permute.swapaxes),
    "swapdims_": _in_place(permute.swapdims),
    "resize_": resize_,
    "resize_as_": resize_as_,
}
