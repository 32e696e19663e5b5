"""Shapes."""

from __future__ import annotations

import math


class Size(tuple[int, ...]):
    """A shape: a tuple that knows how many elements it stands for.

    >>> from minigrad import Size
    >>> Size([2, 3]).numel()
    6
    """

    def numel(self) -> int:
        """The product of the sizes: 1 for a scalar."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"
