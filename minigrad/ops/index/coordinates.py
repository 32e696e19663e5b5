"""Indices of elements: of triangles, of nonzero elements, and flat indices."""

from __future__ import annotations

import math
from typing import Any

from ...backend import chosen
from ...core.interpreter import reading
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, ShapeError
from ..common.dims import sizes_of
from ..create.factories import finished
from .masks import nonzero

__all__ = ["nonzero_static", "tril_indices", "triu_indices", "unravel_index"]


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and below the diagonal of a matrix: (2, count).

    >>> import minigrad as mg
    >>> mg.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle(row, col, dtype, device, lambda rows, columns: columns <= rows + offset)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Rows and columns of the elements on and above the diagonal of a matrix: (2, count)."""
    return _triangle(row, col, dtype, device, lambda rows, columns: columns >= rows + offset)


def _triangle(row: int, col: int, dtype: Any, device: Any, inside: Any) -> Tensor:
    if row < 0 or col < 0:
        raise ShapeError(f"row and col must be non-negative, got {row} and {col}")
    xp = chosen(device)
    found = xp.argwhere(inside(xp.arange(row)[:, None], xp.arange(col)[None, :])).T
    made = finished(xp.ascontiguousarray(found.astype("int64")), xp, False)
    return made if dtype is None else made.to(dtype)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert flat indices into a tensor of `shape` to one index per dimension."""
    sizes = sizes_of((shape,)) if not isinstance(shape, int) else (shape,)
    if indices._array.dtype.kind not in "iu":
        raise ArgumentTypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if any(size < 0 for size in sizes):
        raise ArgumentError(f"'shape' cannot have negative values, but got {list(sizes)}")
    rest, found = indices.long(), []
    for k in range(len(sizes)):
        below = math.prod(sizes[k + 1 :])
        found.append((rest // max(below, 1)) % max(sizes[k], 1))
    return tuple(found)


@reading
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The indices of the first `size` nonzero elements; missing rows are filled with `fill_value`."""
    if size < 0:
        raise ShapeError(f"nonzero_static: 'size' must be an non-negative integer, got {size}")
    found = nonzero(input)._array
    filled = input._backend.full((size, input._array.ndim), fill_value, "int64")
    filled[: min(size, len(found))] = found[:size]
    return finished(filled, input._backend, False)


METHODS = {"nonzero_static": nonzero_static}
