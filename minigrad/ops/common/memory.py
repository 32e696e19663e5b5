"""How results lie in memory where their operands lie differently."""

from __future__ import annotations

from typing import Any


def as_first(xp: Any, result: Any, first: Any) -> Any:
    """`result`, laid out in the order of dimensions that its first operand has in memory, as PyTorch lays it out.

    NumPy takes rows first where the operands do not agree. What is drawn for each element, as by dropout, follows
    memory. Call it only where `first` is not contiguous.
    """
    if first.__class__ is not result.__class__ or result.ndim < 2 or result.shape != first.shape:
        return result
    strides = getattr(first, "strides", None)
    if strides is None or not all(strides):
        return result
    axes = sorted(range(first.ndim), key=lambda axis: -abs(strides[axis]))
    turned = result.transpose(axes)
    return result if turned.flags.c_contiguous else turned.copy(order="C").transpose(_inverse(axes))


def _inverse(axes: list[int]) -> list[int]:
    return sorted(range(len(axes)), key=axes.__getitem__)
