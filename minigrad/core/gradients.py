"""Rare operations on a gradient: cast it, copy it with its history, or lay it out like a leaf with unusual strides."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from .state import STATE
from .tensor import Tensor, wrap


def cast(grad: Tensor, dtype: Any) -> Tensor:
    """Return `grad` cast to the array dtype `dtype`; the real part of a complex gradient if `dtype` is real."""
    wanted = dtypes.of(dtype)
    if grad.dtype.is_complex and not wanted.is_complex:
        grad = grad.real
    return grad.to(wanted)


def copied(grad: Tensor) -> Tensor:
    """Return a contiguous copy of `grad`, recorded if `grad` has a graph."""
    if grad.requires_grad or STATE.mode.interpreters:
        return grad.clone()
    array = grad._backend.empty(grad._array.shape, grad._array.dtype)
    array[...] = grad._array
    return wrap(array, grad._backend)


def first_of_odd(leaf: Tensor, grad: Tensor, owned: bool) -> Tensor:
    """Do what `accumulate.first` does for a leaf that is not contiguous, or with `create_graph`."""
    if owned and dense(leaf._array):
        return grad
    if grad.requires_grad or not dense(leaf._array):
        return copied(grad)
    kept = grad._backend.empty_like(leaf._array, dtype=grad._array.dtype)
    kept[...] = grad._array
    return wrap(kept, grad._backend)


def dense(array: Any) -> bool:
    """Return whether the elements fill their memory without gaps or overlaps, in any order of the dimensions."""
    if array.flags.c_contiguous:
        return True
    step = array.itemsize
    for stride, size in sorted((t, n) for t, n in zip(array.strides, array.shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= size
    return True
