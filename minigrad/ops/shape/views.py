"""Views with another shape on the same memory.

All of these only rearrange elements, so each gradient is the inverse view. If the memory layout does not allow a view,
`reshape` copies, and the result shares no memory with its input.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common.bases import Linear
from ..common.dims import resolve_sizes, sizes_of, wrap_dim, wrap_dims
from ..common.samples import sample
from ..conversion.copy import contiguous
from ..elementwise.complex import reinterpret


class Reshape(Linear):
    r"""The same elements, row by row, in another shape."""

    formula = r"\operatorname{reshape}(x)"
    grad_name = "ViewBackward0"
    is_view = "view"
    samples = (sample((2, 6), shape=(3, 4)), sample((2, 3), shape=(6,)), sample((0, 3), shape=(3, 0)))
    shape: Any

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        return x.reshape(self.shape)

    def grad_x(self, grad):
        r"""\operatorname{reshape}(\bar y)"""
        return Reshape(self.before)(grad)


class Squeeze(Linear):
    r"""Dimensions of size 1 removed."""

    formula = r"\operatorname{squeeze}(x)"
    grad_name = "SqueezeBackward1"
    is_view = "view"
    samples = (sample((2, 1, 3), dims=(1,)), sample((1, 2, 1), dims=(0, 2)))
    dims: Any

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        return x.squeeze(self.dims)

    def grad_x(self, grad):
        r"""\operatorname{reshape}(\bar y)"""
        return Reshape(self.before)(grad)


class Unsqueeze(Linear):
    r"""A new dimension of size 1."""

    formula = r"\operatorname{unsqueeze}(x)"
    is_view = "view"
    samples = (sample((2, 3), dim=1), sample((2, 3), dim=2))
    dim: int

    def forward(self, xp, x):
        return x[(slice(None),) * self.dim + (None,)]

    def grad_x(self, grad):
        r"""\operatorname{squeeze}(\bar y)"""
        return Squeeze((self.dim,))(grad)


class Expand(Linear):
    r"""Repeat dimensions of size 1 without copying, and add leading dimensions.

    Its gradient is the sum over the repetitions, which the engine computes, as for every broadcast input.
    """

    formula = r"\operatorname{expand}(x)"
    is_view = "view"
    broadcasts = True
    samples = (sample((2, 1), sizes=(2, 3)), sample((3,), sizes=(2, 4, 3)), sample((1,), sizes=(0,)))
    sizes: Any

    def forward(self, xp, x):
        return xp.broadcast_to(x, self.sizes)

    def grad_x(self, grad):
        r"""\textstyle\sum \bar y"""
        return grad


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """`input` in another shape, as a view if the memory layout allows it; one size may be -1.

    >>> import minigrad as mg
    >>> mg.arange(6).reshape(2, -1).shape
    minigrad.Size([2, 3])
    """
    array = input._array
    sizes = shape if shape and type(shape[0]) is int else sizes_of(shape)
    return Reshape(resolve_sizes(sizes, array.size))(input)


def view(input: Tensor, *shape: Any) -> Tensor:
    """`input` in another shape, as a view. ShapeError if the memory layout does not allow that.

    With a dtype instead of a shape, the same bytes are read as that dtype.
    """
    if len(shape) == 1 and hasattr(shape[0], "kind"):
        return reinterpret(input, shape[0])
    result = reshape(input, *shape)
    if result._storage is not input._storage and input._array.size:
        raise ShapeError(
            f"view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            f"contiguous subspaces): size {list(input.shape)}, stride {list(input.stride())}. Use .reshape(...) "
            f"instead."
        )
    return result


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` as a view with the shape of `other`."""
    return view(input, *other.shape) if other._array.ndim else view(input, ())


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the shape of `other`."""
    return reshape(input, tuple(other.shape))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Join the dimensions from `start_dim` to `end_dim` into one."""
    shape = input._array.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise ShapeError(f"flatten() has invalid args: start_dim cannot come after end_dim ({start_dim}, {end_dim})")
    if not shape:
        return reshape(input, (1,))
    return (
        input if start == end else reshape(input, *shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])
    )


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return reshape(contiguous(input), (-1,)) if input._array.size else reshape(input, (0,))


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split one dimension into several of these sizes (one may be -1)."""
    shape = input._array.shape
    dim = wrap_dim(dim, len(shape))
    try:
        inner = resolve_sizes(sizes_of((sizes,)), shape[dim])
    except ShapeError:
        raise ShapeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape[dim]}) "
            "in the input tensor"
        ) from None
    return reshape(input, (*shape[:dim], *inner, *shape[dim + 1 :]))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without the dimensions of size 1, or without those of `dim` that have size 1."""
    shape = input._array.shape
    dims = range(len(shape)) if dim is None else wrap_dims(dim, len(shape))
    op = Squeeze(tuple([i for i in dims if shape and shape[i] == 1]))
    if type(dim) is not int:
        op.grad_name = "SqueezeBackward0" if dim is None else "SqueezeBackward2"  # type: ignore[misc]
    return op(input)


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of size 1 at `dim`."""
    return Unsqueeze(wrap_dim(dim, input._array.ndim + 1))(input)


def expand(input: Tensor, *sizes: Any) -> Tensor:
    """A view in which dimensions of size 1 are repeated without a copy; -1 keeps a size, and new dimensions come first.

    >>> import minigrad as mg
    >>> mg.tensor([[1], [2]]).expand(-1, 3).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    shape = input._array.shape
    wanted = sizes_of(sizes)
    new = len(wanted) - len(shape)
    if new < 0:
        raise ShapeError(
            f"expand: the number of sizes provided ({len(wanted)}) must be greater or equal to the number of "
            f"dimensions "
            f"in the tensor ({len(shape)})"
        )
    return Expand(tuple([_expanded(size, shape, i - new, wanted) for i, size in enumerate(wanted)]))(input)


def _expanded(size: int, shape: tuple[int, ...], dim: int, wanted: tuple[int, ...]) -> int:
    if dim < 0:
        if size < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension"
            )
        return size
    if size in (-1, shape[dim]):
        return shape[dim]
    if shape[dim] != 1 or size < 0:
        raise ShapeError(
            f"The expanded size of the tensor ({size}) must match the existing size ({shape[dim]}) at non-singleton "
            f"dimension {dim}. Target sizes: {list(wanted)}. Tensor sizes: {list(shape)}"
        )
    return size


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` expanded to the shape of `other`."""
    return expand(input, tuple(other.shape))


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """`input` expanded to `size`."""
    return expand(input, size)


METHODS = {
    "reshape": reshape,
    "view": view,
    "view_as": view_as,
    "reshape_as": reshape_as,
    "flatten": flatten,
    "ravel": ravel,
    "unflatten": unflatten,
    "squeeze": squeeze,
    "unsqueeze": unsqueeze,
    "expand": expand,
    "expand_as": expand_as,
    "broadcast_to": broadcast_to,
}
__all__ = ["reshape", "flatten", "ravel", "unflatten", "squeeze", "unsqueeze", "broadcast_to"]
