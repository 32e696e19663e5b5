"""How new memory is laid out in the likeness of an array: without gaps, its dimensions in the same order."""

from __future__ import annotations

from collections.abc import Sequence


def dense_strides(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Strides in elements for memory without gaps, whose dimensions lie in the order of `strides`.

    Where dimensions share memory (a stride of 0, as `expand` makes it) the later one lies inside the earlier.

    >>> dense_strides((2, 3), (1, 2)), dense_strides((4, 3), (0, 1))
    ((1, 2), (3, 1))
    """
    order: list[int] = []  # from the innermost dimension to the outermost
    for dim in reversed(range(len(shape))):
        place = len(order)
        for at in reversed(range(len(order))):
            inside = _lies_inside(dim, order[at], shape, strides)
            if inside:
                place = at
            elif inside is not None:
                break
        order.insert(place, dim)
    result, step = [0] * len(shape), 1
    for dim in order:
        result[dim] = step
        step *= max(shape[dim], 1)
    return tuple(result)


def _lies_inside(dim: int, other: int, shape: Sequence[int], strides: Sequence[int]) -> bool | None:
    """Whether `dim` lies inside `other`; None where the strides do not tell."""
    a, b = strides[dim], strides[other]
    if not a or not b:
        return None
    return a < b if a != b else shape[dim] < shape[other]
