"""Read dimensions and sizes as users pass them: negative, as a tuple or as several arguments, with a -1."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import ArgumentTypeError, DimensionError, ShapeError


def wrap_dim(dim: Any, ndim: int) -> int:
    """Return `dim` as a non-negative number. DimensionError if a tensor of `ndim` dimensions lacks it.

    >>> wrap_dim(-1, 3)
    2
    """
    if type(dim) is bool:  # usually intended for keepdim or descending
        raise ArgumentTypeError(f"argument 'dim' must be int, not bool: name what {dim} is for")
    try:
        wrapped = operator.index(dim)
    except TypeError:
        raise ArgumentTypeError(f"a dimension must be an int, not {type(dim).__name__}") from None
    reach = max(ndim, 1)  # a scalar counts as one-dimensional
    if not -reach <= wrapped < reach:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-reach}, {reach - 1}], but got {wrapped})"
        )
    return wrapped + reach if wrapped < 0 else wrapped


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Return `dims` (an int or a sequence) as non-negative numbers. Raise if one occurs twice."""
    if type(dims) is int:
        return (wrap_dim(dims, ndim),)
    given = dims if isinstance(dims, (tuple, list)) else (dims,)
    wrapped = tuple(wrap_dim(dim, ndim) for dim in given)
    if len(set(wrapped)) != len(wrapped):
        twice = next(dim for dim in wrapped if wrapped.count(dim) > 1)
        raise ShapeError(f"dim {twice} appears multiple times in the list of dims: {tuple(given)}")
    return wrapped


def sizes_of(sizes: Sequence[Any]) -> tuple[int, ...]:
    """Return sizes given as one sequence or as several arguments: ``f((2, 3))`` and ``f(2, 3)``."""
    if len(sizes) == 1 and isinstance(sizes[0], Iterable) and not hasattr(sizes[0], "_array"):
        sizes = tuple(sizes[0])
    try:
        return tuple([operator.index(size) for size in sizes])
    except TypeError:
        kinds = ", ".join(type(size).__name__ for size in sizes)
        raise ArgumentTypeError(f"sizes must be ints, got ({kinds})") from None


def resolve_sizes(sizes: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return `sizes` for a tensor of `numel` elements, with a -1 computed. ShapeError if they do not fit.

    >>> resolve_sizes((2, -1), 6)
    (2, 3)
    """
    if -1 not in sizes:
        if math.prod(sizes) != numel or min(sizes, default=0) < 0:
            raise _invalid(sizes, numel)
        return sizes
    if sizes.count(-1) > 1:
        raise ShapeError(f"only one dimension can be inferred, but {list(sizes)} has several -1")
    known = -math.prod(sizes)  # of all but the -1
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
    """Return a value for each of `count` dimensions; a single number is repeated: 3 -> (3, 3)."""
    if isinstance(value, (tuple, list)):
        return tuple(value) * count if len(value) == 1 else tuple(value)
    return (operator.index(value) if hasattr(value, "__index__") else value,) * count


LARGEST = (1 << 63) - 1
"""The largest int of 64 bits."""


def ints(name: str, value: Any, count: int, least: int | None = None) -> tuple[int, ...]:
    """Return `value`, the argument `name`, as one int for each of `count` dimensions, none of them below `least`.

    ArgumentTypeError if it holds anything but ints; ShapeError if there are too few, too many, or too small ones.

    >>> ints("stride", 3, count=2)
    (3, 3)
    >>> ints("stride", (1, 2, 3), count=2)
    Traceback (most recent call last):
    minigrad.errors.ShapeError: stride must be one int, or 2 ints, one for each dimension, got (1, 2, 3)
    """
    if type(value) is int and (-LARGEST if least is None else least) <= value <= LARGEST:
        return (value,) * count  # the usual case
    given = value if isinstance(value, (tuple, list)) else (value,)
    try:
        numbers = tuple(map(operator.index, given))
    except TypeError:
        raise ArgumentTypeError(f"{name} must be {_how_many(count)}, got {value!r}") from None
    if len(numbers) != count:
        if len(numbers) != 1:
            raise ShapeError(f"{name} must be {_how_many(count)}, got {value!r}")
        numbers *= count
    if least is not None and min(numbers) < least:
        raise ShapeError(f"{name} must be at least {least}, got {value!r}")
    if max(numbers) > LARGEST or min(numbers) < -LARGEST:
        raise ShapeError(f"{name} must fit into 64 bits, got {value!r}")
    return numbers


def one_int(name: str, value: Any, least: int | None = None) -> int:
    """Return `value`, the argument `name`, as an int of at least `least`; errors are those of `ints`.

    >>> one_int("k", 2.5)
    Traceback (most recent call last):
    minigrad.errors.ArgumentTypeError: k must be one int, got 2.5
    """
    if type(value) is int and (-LARGEST if least is None else least) <= value <= LARGEST:
        return value
    if isinstance(value, (tuple, list)):
        raise ArgumentTypeError(f"{name} must be {_how_many(1)}, got {value!r}")
    return ints(name, value, 1, least)[0]


def _how_many(count: int) -> str:
    return "one int" if count == 1 else f"one int, or {count} ints, one for each dimension"


MOST_ELEMENTS = (1 << 63) // 16
"""The maximal number of elements: with 16 bytes each (complex128), more have no address."""


def checked_sizes(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return `sizes`. Raise for a negative size, or for more bytes than have an address."""
    if any(size < 0 for size in sizes):
        raise ShapeError(f"Trying to create tensor with negative dimension {min(sizes)}: {list(sizes)}")
    if math.prod(sizes) > MOST_ELEMENTS:
        raise ShapeError(
            f"Storage size calculation overflowed with sizes={list(sizes)}: no memory has so many elements"
        )
    return sizes
