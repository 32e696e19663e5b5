"""Fast sums, inner products and maxima of rows, for softmax and normalisation.

NumPy's reductions have a cost for every row, which dominates for a short last dimension. A product with ones, or a
reduction over the columns of a transposed copy, is several times as fast. If there are few rows, if they are not
contiguous, or so long that rounding matters, NumPy's reductions are used.
"""

from __future__ import annotations

import math
from typing import Any

LONGEST = 4096
"""The maximal length of rows that are summed by a matrix product, which is less exact than NumPy's pairwise sum."""


FEW = 64
"""The number of rows up to which NumPy's reductions are faster, if the rows are short."""

SHORT = 64
"""The length below which the maximum of rows is faster on a transposed copy."""


def plain_rows(x: Any, dim: int) -> bool:
    """Return whether `dim` is the last dimension of a contiguous float array with rows of a moderate length."""
    last = dim == x.ndim - 1 or dim == -1
    return bool(last and x.flags.c_contiguous and 0 < x.shape[-1] <= LONGEST and x.size and x.dtype.char in "fd")


def many(x: Any, length: int) -> bool:
    """Return whether `x` has more than a few rows of this length."""
    return bool(x.size > FEW * min(length, 2 * FEW))


def short_rows(x: Any) -> bool:
    """Return whether `x` has many short rows: then `total` is faster than NumPy's sum, and rounds as well."""
    return bool(x.ndim > 1 and x.shape[-1] <= 2 * SHORT and plain_rows(x, -1) and many(x, x.shape[-1]))


def total(xp: Any, x: Any, dim: int) -> Any:
    """Return the sum over `dim`, with keepdim."""
    if not (plain_rows(x, dim) and many(x, x.shape[-1])):
        return x.sum(dim, keepdims=True)
    size = x.shape[-1]
    return (x.reshape(-1, size) @ xp.ones(size, x.dtype)).reshape(*x.shape[:-1], 1)


def plain_columns(x: Any, dims: Any) -> bool:
    """Return whether `dims` are the first dimensions, but not all, of a contiguous float array with many rows."""
    count = len(dims)
    return bool(
        0 < count < x.ndim
        and x.dtype.char in "fd"
        and tuple(dims) == tuple(range(count))
        and x.flags.c_contiguous
        and many(x, math.prod(x.shape[count:]))
    )


def column_totals(xp: Any, x: Any, count: int) -> Any:
    """Return the sum over the first `count` dimensions, by a product with ones, which reads memory in order."""
    shape = x.shape[count:]
    rows = x.reshape(-1, math.prod(shape))
    return (xp.ones(len(rows), x.dtype) @ rows).reshape(shape)


def inner(xp: Any, a: Any, b: Any, dim: int) -> Any:
    """Return the sum of ``a * b`` over `dim`, with keepdim."""
    if not (plain_rows(a, dim) and plain_rows(b, dim) and a.shape == b.shape and many(a, a.shape[-1])):
        return (a * b).sum(dim, keepdims=True)
    size = a.shape[-1]
    return xp.einsum("ij,ij->i", a.reshape(-1, size), b.reshape(-1, size)).reshape(*a.shape[:-1], 1)


def largest(xp: Any, x: Any, dim: int) -> Any:
    """Return the maximum over `dim`, with keepdim."""
    if not plain_rows(x, dim) or x.shape[-1] >= SHORT or not many(x, x.shape[-1]):
        return x.max(dim, keepdims=True)
    columns = xp.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
    return columns.max(0).reshape(*x.shape[:-1], 1)
