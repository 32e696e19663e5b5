"""The order of an array's dimensions in memory."""

from __future__ import annotations

from typing import Any


def order(array: Any) -> list[int] | None:
    """Return the dimensions of `array` from the largest stride to the smallest; None if elements share memory.

    Dimensions of size 1 have no stride that matters, and keep their position.
    """
    shape, strides = array.shape, array.strides
    long = [axis for axis, size in enumerate(shape) if size != 1]
    if not all(strides[axis] for axis in long):
        return None
    from_largest = iter(sorted(long, key=lambda axis: -strides[axis]))
    return [axis if size == 1 else next(from_largest) for axis, size in enumerate(shape)]
