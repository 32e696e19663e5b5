"""Shapes."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex


class Size(tuple[int, ...]):
    """A shape: a tuple that can count its elements. Its slices and sums are shapes, too.

    >>> from minigrad import Size
    >>> Size([2, 3]).numel()
    6
    >>> Size([2, 3])[1:] + (4,)
    minigrad.Size([3, 4])
    """

    def __new__(cls, sizes: Iterable[Any] = ()) -> Size:
        parts = tuple(sizes)
        return tuple.__new__(cls, parts if all(each.__class__ is int for each in parts) else whole(parts))

    def numel(self) -> int:
        """The product of the sizes: 1 for a scalar."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return tuple.__new__(Size, found) if type(found) is tuple else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to minigrad.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            name = type(other).__name__
            raise TypeError(f'can only concatenate {name} (not "minigrad.Size") to {name}')
        return Size(other + tuple(self))

    def __mul__(self, times: SupportsIndex) -> Any:
        return tuple.__new__(Size, tuple.__mul__(self, times))

    __rmul__ = __mul__


def whole(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Return `sizes` as Python ints; TypeError if one is not an integer."""
    found: list[int] = []
    try:
        found.extend(map(operator.index, sizes))
    except TypeError:
        i = len(found)
        kind = type(sizes[i]).__name__
        raise TypeError(f"minigrad.Size() takes an iterable of 'int' (item {i} is '{kind}')") from None
    return tuple(found)
