"""Shapes."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex


class Size(tuple[int, ...]):
    """A shape: a tuple that knows how many elements it stands for. Its slices and sums are shapes, too.

    >>> from minigrad import Size
    >>> Size([2, 3]).numel()
    6
    >>> Size([2, 3])[1:] + (4,)
    minigrad.Size([3, 4])
    """

    def numel(self) -> int:
        """The product of the sizes: 1 for a scalar."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return Size(found) if type(found) is tuple else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self))

    def __mul__(self, times: SupportsIndex) -> Any:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__
