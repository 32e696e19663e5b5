"""Views made in place: ``x.t_()`` turns x itself, rather than giving a second tensor that looks at its memory.

The tensor becomes what the view would have been. Its history goes on with the view's node, and its version is raised,
since whoever saved it would now find another shape. A base also notes how it was turned, and how to turn it back: the
views of it that were there before still see it as it was.
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
    """The method ``x.<function>_(...)`` for a function that gives a view of its first argument."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, self.requires_grad, True)
        become(self, function(_as_it_was(self), *args, **kwargs))
        return self

    method.__name__ = method.__qualname__ = function.__name__ + "_"
    method.__doc__ = f"In place: {function.__doc__}"
    return method


def _as_it_was(tensor: Tensor) -> Tensor:
    """Another tensor in the very same place: of memory, of the graph, and among the views of a base."""
    source = alias(tensor, tensor._edge)
    source._view, source._requires_grad = tensor._view, tensor._requires_grad
    return source


def become(tensor: Tensor, made: Tensor) -> None:
    """`tensor` takes the shape and the history of `made`, a view of what it was."""
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
        made._view.kind = kind  # turned in no_grad mode, it stays the view that it was
    if edge is not None and made._view is not None:
        made._view.connect(*edge)


def _back(op: Op, before: tuple[int, ...]) -> Op | None:
    """The op that undoes `op`, which was called on the shape `before`; None where there is none."""
    if isinstance(op, (permute.Transpose, permute.MatrixTranspose)):
        return op.again()
    if isinstance(op, (shape.Squeeze, shape.Unsqueeze)):
        return shape.Reshape(before)
    if isinstance(op, permute.Permute):
        return permute.Permute(tuple(sorted(range(len(before)), key=lambda dim: op.dims[dim])))
    return None


# Memory of another size -----------------------------------------------------------------------------------------------


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Change the sizes: the same elements row by row, the last of them dropped, or room for more that is not filled."""
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
    """`resize_` to the sizes of another tensor."""
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
