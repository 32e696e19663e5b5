"""Rare operations on a gradient: casting it, copying it with its history, laying it out as an odd leaf is."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from .state import STATE
from .tensor import Tensor, wrap


def cast(grad: Tensor, dtype: Any) -> Tensor:
    """`grad` in the array type `dtype`; the real part where that is real."""
    wanted = dtypes.of(dtype)
    if grad.dtype.is_complex and not wanted.is_complex:
        grad = grad.real
    return grad.to(wanted)


def copied(grad: Tensor) -> Tensor:
    """A copy of `grad` laid out row by row, with its place in the graph."""
    if grad.requires_grad or STATE.mode.interpreters:
        return grad.clone()
    array = grad._backend.empty(grad._array.shape, grad._array.dtype)
    array[...] = grad._array
    return wrap(array, grad._backend)


def first_of_odd(leaf: Tensor, grad: Tensor, owned: bool) -> Tensor:
    """`accumulate.first`, where the leaf is laid out in another order, or the gradient's own graph is wanted."""
    if owned and dense(leaf._array):
        return grad
    if grad.requires_grad or not dense(leaf._array):
        return copied(grad)
    kept = grad._backend.empty_like(leaf._array, dtype=grad._array.dtype)
    kept[...] = grad._array
    return wrap(kept, grad._backend)


def dense(array: Any) -> bool:
    """Whether the elements lie side by side in some order of the dimensions, each once."""
    if array.flags.c_contiguous:
        return True
    step = array.itemsize
    for stride, size in sorted((t, n) for t, n in zip(array.strides, array.shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= size
    return True
