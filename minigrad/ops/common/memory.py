"""How results lie in memory where their operands lie differently."""

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


def as_first(xp: Any, result: Any, first: Any) -> Any:
    """`result`, laid out in the order of dimensions that its first operand has in memory, as PyTorch lays it out.

    NumPy takes rows first where the operands do not agree. What is drawn for each element, as by dropout, follows
    memory. Call it only where `first` is not contiguous.
    """
    if first.__class__ is not result.__class__ or result.ndim < 2 or result.shape != first.shape:
        return result
    if not hasattr(first, "strides") or (axes := order(first)) is None:
        return result
    turned = result.transpose(axes)
    return result if turned.flags.c_contiguous else turned.copy(order="C").transpose(_inverse(axes))


def _inverse(axes: list[int]) -> list[int]:
    return sorted(range(len(axes)), key=axes.__getitem__)
