"""The memory layout of new arrays that imitate another: no gaps, and the dimensions in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def dense_strides(shape: Sequence[int], *operands: Sequence[int]) -> tuple[int, ...]:
    """Return strides, in elements, of memory without gaps whose dimensions have the order of those of `operands`.

    The first operand with different strides for two dimensions decides their order. A dimension with stride 0, as of
    `expand`, does not decide; then the later dimension is the inner one.

    >>> dense_strides((2, 3), (1, 2)), dense_strides((4, 3), (0, 1)), dense_strides((2, 3), (0, 1), (1, 2))
    ((1, 2), (3, 1), (1, 2))
    """
    result, step = [0] * len(shape), 1
    for dim in innermost_first(shape, operands):
        result[dim] = step
        step *= max(shape[dim], 1)
    return tuple(result)


def innermost_first(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> list[int]:
    """Return the dimensions of a result, from the innermost in memory to the outermost."""
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
    """Return whether `dim` is inside `other` in memory; None if the strides do not decide."""
    for strides in operands:
        a, b = strides[dim], strides[other]
        if a and b:
            if a != b:
                return a < b
            if shape[dim] < shape[other]:
                return True
    return None


def arranged(result: Any, order: Sequence[int]) -> Any:
    """Return `result` with its dimensions in this order in memory, from the outermost to the innermost."""
    turned = result.transpose(order)
    if turned.flags.c_contiguous:
        return result
    return turned.copy(order="C").transpose(sorted(range(len(order)), key=order.__getitem__))


def channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether images (N, C, H, W), or volumes (N, C, D, H, W), lie in memory with their channels innermost.

    Where sizes of 1 leave it open, they do not, as in PyTorch.
    """
    if len(shape) not in (4, 5) or not strides[1] or 0 in shape:
        return False
    least = 0
    for dim in (1, *range(len(shape) - 1, 1, -1), 0):
        if strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * max(shape[dim], 1)
    return True


def strides_in(shape: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> list[int]:
    """Return the strides of an array of shape `sizes` after it is broadcast to `shape`."""
    lead = len(shape) - len(sizes)
    own = [
        0 if size == 1 and shape[lead + dim] != 1 else step
        for dim, (size, step) in enumerate(zip(sizes, strides, strict=True))
    ]
    return [0] * lead + own
