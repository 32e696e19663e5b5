"""Sums, inner products and largest elements of rows: the reductions that softmax and normalisation spend their time on.

A general reduction over a short last dimension starts anew for every row. Said as a product with ones, or on a copy
whose columns are the rows, it runs over memory like any elementwise op, several times as fast. Where rows are not what
memory holds, or are long enough for rounding to matter, the general reductions serve.
"""

from __future__ import annotations

import math
from typing import Any

LONGEST = 4096
"""Rows up to this length are added up by a matrix product, which does not add pairwise as the general sum does."""


SHORT = 64
"""Rows shorter than this give their largest element faster when they are turned into columns first."""


def plain_rows(x: Any, dim: int) -> bool:
    """Whether `dim` is the last one, and memory holds floating rows of a moderate length, one after the other."""
    last = dim == x.ndim - 1 or dim == -1
    return bool(last and x.flags.c_contiguous and 0 < x.shape[-1] <= LONGEST and x.size and x.dtype.char in "fd")


def total(xp: Any, x: Any, dim: int) -> Any:
    """The sum over `dim`, kept with size 1."""
    if not plain_rows(x, dim):
        return x.sum(dim, keepdims=True)
    size = x.shape[-1]
    return (x.reshape(-1, size) @ xp.ones(size, x.dtype)).reshape(*x.shape[:-1], 1)


def plain_columns(x: Any, dims: Any) -> bool:
    """Whether `dims` are the first ones, some but not all, and memory holds floats, one row after the other."""
    many = len(dims)
    return bool(
        0 < many < x.ndim
        and x.dtype.char in "fd"
        and tuple(dims) == tuple(range(many))
        and x.flags.c_contiguous
        and x.size
    )


def column_totals(xp: Any, x: Any, many: int) -> Any:
    """The sum over the first `many` dimensions. A product runs over memory in order, and rounds about as well."""
    shape = x.shape[many:]
    rows = x.reshape(-1, math.prod(shape))
    return (xp.ones(len(rows), x.dtype) @ rows).reshape(shape)


def inner(xp: Any, a: Any, b: Any, dim: int) -> Any:
    """The sum of the products over `dim`, kept with size 1."""
    if not (plain_rows(a, dim) and plain_rows(b, dim) and a.shape == b.shape):
        return (a * b).sum(dim, keepdims=True)
    size = a.shape[-1]
    return xp.einsum("ij,ij->i", a.reshape(-1, size), b.reshape(-1, size)).reshape(*a.shape[:-1], 1)


def largest(xp: Any, x: Any, dim: int) -> Any:
    """The largest element over `dim`, kept with size 1."""
    if not plain_rows(x, dim) or x.shape[-1] >= SHORT:
        return x.max(dim, keepdims=True)
    columns = xp.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
    return columns.max(0).reshape(*x.shape[:-1], 1)
