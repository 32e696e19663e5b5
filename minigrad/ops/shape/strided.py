"""Views with unusual strides: a diagonal, sliding windows, arbitrary strides."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Linear
from ..common.dims import one_int, sizes_of, wrap_dim
from ..common.samples import sample

__all__ = ["as_strided", "diag", "diag_embed", "diagflat", "diagonal", "trace"]


class Diagonal(Linear):
    r"""The diagonal of two dimensions, as the last dimension."""

    formula = r"y_i = x_{i,\, i + k}"
    is_view = "view"
    samples = (sample((3, 4), offset=1, dim0=0, dim1=1), sample((2, 3, 3), offset=0, dim0=2, dim1=1))
    offset: int
    dim0: int
    dim1: int

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        return xp.diagonal(x, self.offset, self.dim0, self.dim1)

    def grad_x(self, grad):
        r"""\bar x_{i,\, i + k} = \bar y_i,\; 0 \text{ elsewhere}"""
        return DiagonalBackward(self.offset, self.dim0, self.dim1, self.before)(grad)


class DiagonalBackward(Linear):
    r"""Zeros with the last dimension of the input on a diagonal: the gradient of `Diagonal`."""

    formula = r"y_{i,\, i + k} = x_i,\; 0 \text{ elsewhere}"
    samples = (sample((3,), offset=1, dim0=0, dim1=1, shape=(3, 4)),)
    offset: int
    dim0: int
    dim1: int
    shape: Any

    def forward(self, xp, x):
        out = xp.zeros(self.shape, x.dtype)
        xp.diagonal(out, self.offset, self.dim0, self.dim1)[...] = x
        return out

    def grad_x(self, grad):
        r"""\bar y_{i,\, i + k}"""
        return Diagonal(self.offset, self.dim0, self.dim1)(grad)


class Unfold(Linear):
    r"""Windows that slide along a dimension; the elements of a window are the last dimension."""

    formula = r"y_{i, j} = x_{i s + j}"
    is_view = "view"
    samples = (sample((7,), dim=0, size=3, step=2), sample((2, 5), dim=1, size=2, step=1))
    dim: int
    size: int
    step: int

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        count = (x.shape[self.dim] - self.size) // self.step + 1
        shape = (*x.shape[: self.dim], count, *x.shape[self.dim + 1 :], self.size)
        steps = list(x.strides)
        inner = steps[self.dim]
        steps[self.dim] *= self.step
        return xp.as_strided(x, shape, (*steps, inner), 0)

    def grad_x(self, grad):
        r"""\bar x_{i s + j} \mathrel{+}= \bar y_{i, j}"""
        return UnfoldBackward(self.dim, self.size, self.step, self.before)(grad)


class UnfoldBackward(Linear):
    r"""The sum of windows at their original positions: the gradient of `Unfold`."""

    formula = r"y_{i s + j} \mathrel{+}= x_{i, j}"
    samples = (sample((3, 3), dim=0, size=3, step=2, shape=(7,)),)
    dim: int
    size: int
    step: int
    shape: Any

    def forward(self, xp, x):
        out = xp.zeros(self.shape, x.dtype)
        before = (slice(None),) * self.dim
        reach = (x.shape[self.dim] - 1) * self.step + 1
        for place in range(self.size):
            out[(*before, slice(place, place + reach, self.step))] += x[..., place]
        return out

    def grad_x(self, grad):
        r"""\bar y_{i s + j}"""
        return Unfold(self.dim, self.size, self.step)(grad)


class AsStrided(Linear):
    r"""The same memory with other sizes and strides; the offset counts elements from the input's first."""

    formula = r"y_{i, j} = m_{o + i s_1 + j s_2}"
    is_view = "view"
    contiguous_only = True
    samples = (
        sample((3, 4), sizes=(2, 2), strides=(5, 1), offset=1),
        sample((6,), sizes=(2, 3), strides=(1, 1), offset=0),
    )
    sizes: Any
    strides: Any
    offset: int

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape, tuple(step // x.itemsize for step in x.strides)
        offset = 0 if 0 in self.sizes else self.offset * x.itemsize  # without elements the offset must not matter
        return xp.as_strided(x, self.sizes, tuple(s * x.itemsize for s in self.strides), offset)

    def grad_x(self, grad):
        r"""\bar m_{o + i s_1 + j s_2} \mathrel{+}= \bar y_{i, j}"""
        xp = grad._backend
        reached, own = _walk(xp, self.sizes, self.strides) + self.offset, _walk(xp, *self.before)
        if not reached.size or not own.size:
            return grad.new_zeros(self.before[0])
        first = min(int(reached.min()), int(own.min()))
        room = max(int(reached.max()), int(own.max())) - first + 1
        memory = grad.new_zeros(room).index_add(0, wrap(reached.reshape(-1) - first, xp), grad.reshape(-1))
        positions = own.reshape(-1) - first
        times = xp.bincount(positions)[positions]  # elements of x that share memory share its gradient
        found = memory.index_select(0, wrap(positions, xp)) / wrap(times.astype(grad._array.dtype), xp)
        return found.reshape(self.before[0])


def _walk(xp: Any, sizes: Any, strides: Any) -> Any:
    """Return the position of each element in memory, counted from the first."""
    positions = xp.zeros((), "int64")
    for size, step in zip(sizes, strides, strict=True):
        positions = positions[..., None] + xp.arange(size) * step
    return positions


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of two dimensions, as the last dimension; `offset` shifts it to the right."""
    ndim = input._array.ndim
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return Diagonal(one_int("offset", offset), first, second)(input)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as the diagonal of a new matrix of zeros, in the dimensions `dim1` and `dim2`."""
    shape, offset = input._array.shape, one_int("offset", offset)
    first, second = wrap_dim(dim1, len(shape) + 1), wrap_dim(dim2, len(shape) + 1)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if first > second:
        first, second, offset = second, first, -offset
    size = shape[-1] + abs(offset)
    sizes = list(shape[:-1])
    sizes.insert(first, size)
    sizes.insert(second, size)
    op = DiagonalBackward(offset, first, second, tuple(sizes))
    op.grad_name = "DiagEmbedBackward0"  # type: ignore[misc]
    return op(input)


@accepts_out
def diag(input: Any, diagonal: int = 0) -> Tensor:
    """A matrix with a vector on its diagonal; or, as a copy, the diagonal of a matrix."""
    ndim, diagonal = input._array.ndim, one_int("diagonal", diagonal)
    if ndim == 1:
        return diag_embed(input, diagonal)
    if ndim != 2:
        raise ShapeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return input.diagonal(diagonal).clone()


def diagflat(input: Any, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` on its diagonal."""
    return diag_embed(input.reshape(-1), offset)


def trace(input: Any) -> Tensor:
    """The sum of the diagonal of a matrix."""
    if input._array.ndim != 2:
        raise ShapeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return input.diagonal().sum()


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of the windows of `size` that slide along `dimension` by `step`; each window is the last dimension."""
    shape = input._array.shape
    dim = wrap_dim(dimension, len(shape))
    if not shape:  # a scalar counts as a vector of one element
        return (
            unfold(input.reshape(1), 0, size, step).reshape((size,))
            if size <= 1
            else unfold(input.reshape(1), 0, size, step)
        )
    if size > shape[dim] or size < 0:
        raise ShapeError(
            f"maximum size for tensor at dimension {dim} is {shape[dim] if shape else 1} but size is {size}"
        )
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0")
    return Unfold(dim, size, step)(input)


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the same memory with these sizes and strides (in elements), from `storage_offset` in the base on."""
    sizes, steps = sizes_of((size,)), sizes_of((stride,))
    if len(sizes) != len(steps):
        raise ShapeError("mismatch in length of strides and shape")
    here = input.storage_offset()
    start = here if storage_offset is None else storage_offset
    base = input if input._view is None else input._view.base
    reach = start + sum((n - 1) * s for n, s in zip(sizes, steps, strict=True))
    if any(step < 0 for step in steps) or start < 0:
        raise ShapeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(steps)}")
    if 0 not in sizes and reach >= base._array.size:
        raise ShapeError(
            f"setStorage: sizes {list(sizes)}, strides {list(steps)}, storage offset {start}, requiring a storage of "
            f"{reach + 1} elements are out of bounds for storage of size {base._array.size}"
        )
    return AsStrided(sizes, steps, start - here)(input)


METHODS = {
    "as_strided": as_strided,
    "diag": diag,
    "diag_embed": diag_embed,
    "diagflat": diagflat,
    "diagonal": diagonal,
    "trace": trace,
    "unfold": unfold,
}
