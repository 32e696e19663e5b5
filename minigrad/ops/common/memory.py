"""In which order the dimensions of an array lie in memory."""

from __future__ import annotations

from typing import Any


def order(array: Any) -> list[int] | None:
    """The axes of `array` from the largest stride to the smallest; None where elements share memory.

    Axes of one element have no place in memory, and keep theirs.
    """
    shape, strides = array.shape, array.strides
    long = [axis for axis, size in enumerate(shape) if size != 1]
    if not all(strides[axis] for axis in long):
        return None
    from_largest = iter(sorted(long, key=lambda axis: -strides[axis]))
    return [axis if size == 1 else next(from_largest) for axis, size in enumerate(shape)]
