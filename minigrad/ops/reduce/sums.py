"""Sums, means and products over dimensions; any and all.

``dim`` is one dimension, several, or None for all; with ``keepdim`` the reduced ones stay, with size 1, so that the
result broadcasts against the input. Half precision is summed in float32.
"""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DtypeError
from ..common.arguments import accepts_out, axes_of
from ..common.bases import Linear, sample, whole
from ..common.dims import wrap_dim
from ..shape.join import cat
from .row_kernels import column_totals, plain_columns, short_rows, total

__all__ = ["all", "any", "count_nonzero", "mean", "nanmean", "nansum", "prod", "sum"]


class Sum(Linear):
    """The sum over `dim`."""

    __slots__ = ("dim", "keepdim", "shape")
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\sum_i x_i"
    samples = (
        sample((2, 3), dim=None, keepdim=False), sample((2, 3), dim=(0,), keepdim=False),
        sample((2, 3, 2), dim=(0, 2), keepdim=True), sample((0, 3), dim=(0,), keepdim=False),
        sample((), dim=None, keepdim=False),
    )  # fmt: skip

    remembers = ("shape",)

    def forward(self, xp, x):
        self.shape = x.shape
        return added(xp, x, self.dim, self.keepdim)

    def grad_x(self, grad):
        r"\bar y \text{ broadcast to the shape of } x"
        return spread(grad, self.shape, self.dim, self.keepdim)

    def name(self) -> str:
        return "SumBackward0" if self.dim is None else "SumBackward1"


class Mean(Linear):
    """The mean over `dim`."""

    __slots__ = ("dim", "keepdim", "shape")
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\frac1n \sum_i x_i"
    kinds = "fc"
    samples = (
        sample((2, 3), dim=None, keepdim=False), sample((2, 3), dim=(1,), keepdim=True),
        sample((2, 3, 2), dim=(0, 2), keepdim=False),
    )  # fmt: skip

    remembers = ("shape",)

    def forward(self, xp, x):
        self.shape = x.shape
        return (added(xp, x, self.dim, self.keepdim) / xp.asarray(self.count(), x.dtype)).astype(x.dtype, copy=False)

    def count(self) -> int:
        """The number of elements of each mean."""
        return math.prod(self.shape) if self.dim is None else math.prod([self.shape[i] for i in self.dim])

    def grad_x(self, grad):
        r"\tfrac1n\, \bar y \text{ broadcast to the shape of } x"
        return spread(grad * (1 / max(self.count(), 1)), self.shape, self.dim, self.keepdim)

    def name(self) -> str:
        return "MeanBackward0" if self.dim is None else "MeanBackward1"


class Prod(Op):
    """The product over one dimension, or over all elements. The gradient is exact for factors of 0, too."""

    __slots__ = ("dim", "keepdim")
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\prod_i x_i"
    kinds = "ifc"
    samples = (
        sample((2, 3), dim=None, keepdim=False), sample((2, 3), dim=1, keepdim=True),
        sample((4, 3), dim=0, keepdim=False),
        sample((0, 3), dim=0, keepdim=False), sample((), dim=None, keepdim=False),
    )  # fmt: skip

    def forward(self, xp, x):
        wide = x.astype("float32") if x.dtype.itemsize < 4 and is_float(x) else x
        return xp.asarray(xp.prod(wide, axis=self.dim, keepdims=self.keepdim)).astype(x.dtype, copy=False)

    def grad_x(self, grad, x, out):
        r"\bar y \prod_{j \ne i} x_j"
        if self.dim is not None and not self.keepdim:
            grad, out = grad.unsqueeze(self.dim), out.unsqueeze(self.dim)
        if not ((out == 0) | out.isfinite().logical_not())._array.any():
            return grad * (out / x).conj()
        if self.dim is None:
            return (grad * others(x.reshape(-1), 0).conj()).reshape(x.shape)
        return grad * others(x, self.dim).conj()

    def name(self) -> str:
        return "ProdBackward0" if self.dim is None else "ProdBackward1"


class All(Op):
    """Whether every element over `dim` is true (not zero)."""

    __slots__ = ("dim", "keepdim")
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\bigwedge_i x_i"
    kinds = "bifc"
    samples = (sample((2, 3), dim=None, keepdim=False), sample(whole((2, 3), 0, 2), dim=(1,), keepdim=True))

    def forward(self, xp, x):
        return truth_of(x, xp.asarray(xp.all(x, axis=self.dim, keepdims=self.keepdim)))


class Any_(Op):
    """Whether any element over `dim` is true (not zero)."""

    __slots__ = ("dim", "keepdim")
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\bigvee_i x_i"
    kinds = "bifc"
    samples = (sample((2, 3), dim=None, keepdim=False), sample(whole((2, 3), 0, 2), dim=(1,), keepdim=True))

    def forward(self, xp, x):
        return truth_of(x, xp.asarray(xp.any(x, axis=self.dim, keepdims=self.keepdim)))


# Helpers --------------------------------------------------------------------------------------------------------------


def is_float(array: Any) -> bool:
    """Return whether this is an array of real floats, bfloat16 included."""
    return dtypes.of(array.dtype).kind == dtypes.FLOAT


def truth_of(x: Any, answer: Any) -> Any:
    """Return `answer` as bools, but as uint8 for a uint8 input, as in PyTorch."""
    return answer.astype(x.dtype) if x.dtype == "uint8" else answer


def added(xp: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """Return the sum of an array over `dim`: integers in int64, half precision computed in float32."""
    if x.dtype.itemsize < 4 and is_float(x):
        return xp.asarray(xp.sum(x, axis=dim, keepdims=keepdim, dtype="float32")).astype(x.dtype)
    if dim is not None and not keepdim and plain_columns(x, dim):
        return column_totals(xp, x, len(dim))
    if dim == (x.ndim - 1,) and short_rows(x):
        sums = total(xp, x, -1)
        return sums if keepdim else sums.reshape(x.shape[:-1])
    return xp.sum(x, axis=dim, keepdims=keepdim, dtype="int64" if x.dtype.kind in "biu" else None)


def spread(grad: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """Expand `grad` of a reduction over `dim` to the shape of the input, without copying."""
    if dim is not None and not keepdim:
        kept = [1 if i in dim else size for i, size in enumerate(shape)]
        grad = grad.reshape(kept)
    return grad.expand(shape)


def others(x: Any, dim: int) -> Any:
    """Return for each element the product of all others along `dim`: of those before times those after."""
    length = x._array.shape[dim] if x._array.ndim else 0
    if length <= 1:
        return x.ones_like()
    ones = x.narrow(dim, 0, 1).ones_like()
    before = cat([ones, x.narrow(dim, 0, length - 1)], dim).cumprod(dim)
    after = cat([ones, x.narrow(dim, 1, length - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return before * after


def chosen_axes(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the dimensions to reduce, or None if `dim` is None: the node's name depends on that, as in PyTorch."""
    return None if dim is None else axes_of(dim, ndim)


def cast_first(input: Tensor, dtype: Any) -> Tensor:
    """Return `input` in the dtype to compute in, if one is given."""
    return input if dtype is None else input.to(dtype)


def said(result: Tensor, dtype: Any) -> Tensor:
    """Return `result` in the dtype that the caller asked for, if any; integers are summed in int64 first."""
    return result if dtype is None else result.to(dtype)


# Functions ------------------------------------------------------------------------------------------------------------


@accepts_out
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over `dim`, or over all elements. Bools and integers are summed in int64.

    >>> import minigrad as mg
    >>> mg.sum(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([4., 6.])
    """
    return said(Sum(chosen_axes(dim, input._array.ndim), keepdim)(cast_first(input, dtype)), dtype)


@accepts_out
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over `dim`, or over all elements.

    >>> import minigrad as mg
    >>> mg.mean(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor([1.5000, 3.5000])
    """
    input = cast_first(input, dtype)
    if not input.dtype.is_differentiable:
        kind = input.dtype.name.capitalize()
        raise DtypeError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {kind}. Convert with .float(), or pass dtype=."
        )
    return Mean(chosen_axes(dim, input._array.ndim), keepdim)(input)


@accepts_out
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product over one dimension, or of all elements.

    >>> import minigrad as mg
    >>> mg.prod(mg.tensor([2.0, 3.0, 4.0]))
    tensor(24.)
    """
    input = cast_first(input, dtype or (None if input.dtype.is_differentiable else dtypes.int64))
    axis = None if dim is None else wrap_dim(dim, input._array.ndim)
    return said(Prod(None if not input._array.ndim else axis, keepdim)(input), dtype)


def _axes_of_all(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the dimensions of `all` and `any`: none for (), as in PyTorch, where sums use all."""
    return None if dim is None else () if dim in ((), []) else axes_of(dim, ndim)


@accepts_out
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether every element is true, over `dim` or over all elements."""
    return All(_axes_of_all(dim, input._array.ndim), keepdim)(input)


@accepts_out
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true, over `dim` or over all elements."""
    return Any_(_axes_of_all(dim, input._array.ndim), keepdim)(input)


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Count the nonzero elements, over `dim` or over all elements."""
    return sum(input.ne(0), dim)


@accepts_out
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over `dim`, with NaN counted as 0."""
    input = cast_first(input, dtype)
    return sum(input.masked_fill(input.isnan(), 0), dim, keepdim, dtype=dtype)


@accepts_out
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over `dim` of the elements that are not NaN."""
    input = cast_first(input, dtype)
    if not input.dtype.is_differentiable:
        raise DtypeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype.name}. Convert with .float(), or pass dtype=."
        )
    present = input.isnan().logical_not()
    return nansum(input, dim, keepdim) / sum(present, dim, keepdim)


METHODS = {
    "sum": sum, "mean": mean, "prod": prod, "all": all, "any": any, "count_nonzero": count_nonzero, "nansum": nansum,
    "nanmean": nanmean,
}  # fmt: skip
