"""Reading dimensions and sizes as people write them: negative, as one tuple or as several arguments, with a -1."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import ArgumentTypeError, DimensionError, ShapeError


def wrap_dim(dim: Any, ndim: int) -> int:
    """`dim` counted from the front. DimensionError where a tensor of `ndim` dimensions has no such one.

    >>> wrap_dim(-1, 3)
    2
    """
    try:
        wrapped = operator.index(dim)
    except TypeError:
        raise ArgumentTypeError(f"a dimension must be an int, not {type(dim).__name__}") from None
    reach = max(ndim, 1)  # a scalar is treated as if it had one dimension
    if not -reach <= wrapped < reach:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-reach}, {reach - 1}], but got {wrapped})"
        )
    return wrapped + reach if wrapped < 0 else wrapped


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """All of `dims` (an int or a sequence) counted from the front, none of them twice."""
    given = dims if isinstance(dims, (tuple, list)) else (dims,)
    wrapped = tuple(wrap_dim(dim, ndim) for dim in given)
    if len(set(wrapped)) != len(wrapped):
        twice = next(dim for dim in wrapped if wrapped.count(dim) > 1)
        raise ShapeError(f"dim {twice} appears multiple times in the list of dims: {tuple(given)}")
    return wrapped


def sizes_of(sizes: Sequence[Any]) -> tuple[int, ...]:
    """Sizes given as one sequence, or one after the other: ``f((2, 3))`` and ``f(2, 3)``."""
    if len(sizes) == 1 and isinstance(sizes[0], Iterable) and not hasattr(sizes[0], "_array"):
        sizes = tuple(sizes[0])
    try:
        return tuple([operator.index(size) for size in sizes])
    except TypeError:
        kinds = ", ".join(type(size).__name__ for size in sizes)
        raise ArgumentTypeError(f"sizes must be ints, got ({kinds})") from None


def resolve_sizes(sizes: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """`sizes`, where one may be -1, for a tensor of `numel` elements. ShapeError where they do not fit.

    >>> resolve_sizes((2, -1), 6)
    (2, 3)
    """
    if -1 not in sizes:
        if math.prod(sizes) != numel or any(size < 0 for size in sizes):
            raise _invalid(sizes, numel)
        return sizes
    if sizes.count(-1) > 1:
        raise ShapeError(f"only one dimension can be inferred, but {list(sizes)} has several -1")
    known = math.prod(size for size in sizes if size != -1)
    if known == 0 and numel == 0:
        raise ShapeError(
            f"cannot reshape tensor of 0 elements into shape {list(sizes)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if known <= 0 or numel % known:
        raise _invalid(sizes, numel)
    return tuple([numel // known if size == -1 else size for size in sizes])


def _invalid(sizes: tuple[int, ...], numel: int) -> ShapeError:
    return ShapeError(f"shape '{list(sizes)}' is invalid for input of size {numel}")


def pair(value: Any, count: int = 2) -> tuple[Any, ...]:
    """One number for every one of `count` dimensions, or one for each: 3 -> (3, 3)."""
    if isinstance(value, (tuple, list)):
        return tuple(value) * count if len(value) == 1 else tuple(value)
    return (operator.index(value) if hasattr(value, "__index__") else value,) * count
