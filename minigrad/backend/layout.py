"""The layout of new memory that imitates an array: without gaps, its dimensions in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def dense_strides(shape: Sequence[int], *operands: Sequence[int]) -> tuple[int, ...]:
    """Strides in elements for memory without gaps, whose dimensions lie in the order of those of `operands`.

    The first operand whose strides tell two dimensions apart decides. Where dimensions share memory (a stride of 0, as
    `expand` makes it) the later one lies inside the earlier.

    >>> dense_strides((2, 3), (1, 2)), dense_strides((4, 3), (0, 1)), dense_strides((2, 3), (0, 1), (1, 2))
    ((1, 2), (3, 1), (1, 2))
    """
    result, step = [0] * len(shape), 1
    for dim in innermost_first(shape, operands):
        result[dim] = step
        step *= max(shape[dim], 1)
    return tuple(result)


def innermost_first(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions of a result, from the innermost in memory to the outermost."""
    order: list[int] = []
    for dim in reversed(range(len(shape))):
        place = len(order)
        for at in reversed(range(len(order))):
            inside = _lies_inside(dim, order[at], shape, operands)
            if inside:
                place = at
            elif inside is not None:
                break
        order.insert(place, dim)
    return order


def _lies_inside(dim: int, other: int, shape: Sequence[int], operands: Sequence[Sequence[int]]) -> bool | None:
    """Whether `dim` lies inside `other`; None where the strides do not tell."""
    for strides in operands:
        a, b = strides[dim], strides[other]
        if a and b:
            if a != b:
                return a < b
            if shape[dim] < shape[other]:
                return True
    return None


def arranged(result: Any, order: Sequence[int]) -> Any:
    """`result` with its dimensions in memory in this order, from the outermost to the innermost."""
    turned = result.transpose(order)
    if turned.flags.c_contiguous:
        return result
    return turned.copy(order="C").transpose(sorted(range(len(order)), key=order.__getitem__))


def strides_in(shape: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The strides of an array of these `sizes` when it is broadcast to `shape`."""
    lead = len(shape) - len(sizes)
    own = [
        0 if size == 1 and shape[lead + dim] != 1 else step
        for dim, (size, step) in enumerate(zip(sizes, strides, strict=True))
    ]
    return [0] * lead + own
