"""Sums, inner products and largest elements of rows: the reductions that softmax and normalisation spend their time on.

A general reduction over a short last dimension starts anew for every row. Said as a product with ones, or as a few
steps that halve all rows at once, it runs over memory like any elementwise op, three to five times as fast. Where rows
are not what memory holds, or are long enough for rounding to matter, the general reductions serve.
"""

from __future__ import annotations

from typing import Any

LONGEST = 4096
"""Rows up to this length are added up by a matrix product, which does not add pairwise as the general sum does."""


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


def inner(xp: Any, a: Any, b: Any, dim: int) -> Any:
    """The sum of the products over `dim`, kept with size 1."""
    if not (plain_rows(a, dim) and plain_rows(b, dim) and a.shape == b.shape):
        return (a * b).sum(dim, keepdims=True)
    size = a.shape[-1]
    return xp.einsum("ij,ij->i", a.reshape(-1, size), b.reshape(-1, size)).reshape(*a.shape[:-1], 1)


def largest(xp: Any, x: Any, dim: int) -> Any:
    """The largest element over `dim`, kept with size 1."""
    if not plain_rows(x, dim):
        return x.max(dim, keepdims=True)
    while x.shape[-1] > 8:
        half = x.shape[-1] // 2
        folded = xp.maximum(x[..., :half], x[..., half : 2 * half])
        if x.shape[-1] % 2:
            xp.maximum(folded[..., :1], x[..., -1:], out=folded[..., :1])
        x = folded
    return x.max(-1, keepdims=True)
