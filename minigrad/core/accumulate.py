"""Where a gradient ends: fitted to the input it belongs to, and added to a leaf's ``.grad``."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .. import dtypes, events
from ..errors import ShapeError
from ..events import LISTENERS, emit
from .graph import AccumulateGrad
from .state import STATE
from .tensor import Tensor, wrap

if TYPE_CHECKING:
    from .engine import Pass

_accumulating = threading.RLock()


def fit(grad: Tensor, shape: tuple[int, ...], dtype: Any) -> Tensor:
    """`grad` summed over the axes along which an input of `shape` had been broadcast, and cast to `dtype`, if any."""
    found = grad._array.shape
    if found != shape:
        extra = len(found) - len(shape)
        axes = tuple(range(extra)) + tuple(
            i + extra for i, size in enumerate(shape) if size == 1 and found[i + extra] != 1
        )
        if extra < 0 or any(s != f and s != 1 for s, f in zip(shape, found[extra:], strict=True)):
            raise ShapeError(f"a gradient of shape {list(found)} came for an input of shape {list(shape)}")
        grad = grad.sum(axes, keepdim=True) if axes else grad
        if extra:
            grad = grad.reshape(shape)
    if dtype is not None and grad._array.dtype != dtype:
        wanted = dtypes.of(dtype)
        if grad.dtype.is_complex and not wanted.is_complex:
            grad = grad.real
        grad = grad.to(wanted)
    return grad


def accumulate(run: Pass, node: AccumulateGrad, grad: Tensor) -> bool:
    """Add `grad` to the leaf's ``.grad``; whether it is the first there.

    The first gradient becomes ``.grad`` itself where nobody else holds it, and a copy otherwise: ``.grad`` never
    shares memory with the caller's tensors or with another leaf's ``.grad``. Later ones are added in place, unless the
    gradient's own graph is wanted.
    """
    leaf = node.variable
    with _accumulating:
        before = leaf._grad
        if before is None:
            owned = node in run.owned and grad._array.strides == leaf._array.strides and dense(leaf._array)
            leaf._grad = grad if owned else _copy_for(leaf, grad, run.create)
        elif run.create:
            leaf._grad = before + grad
        else:
            before._array += fit(grad, before._array.shape, before._array.dtype)._array
            before._storage.version += 1
    if LISTENERS:
        emit(events.GradAccumulated(run.number, (node, 0), grad, leaf._grad, leaf))
    return before is None


def _copy_for(leaf: Tensor, grad: Tensor, create: bool) -> Tensor:
    """A copy of `grad`, laid out as `leaf` is if that is dense; part of the graph where that is wanted."""
    if create and grad.requires_grad:
        return grad.clone()
    if not dense(leaf._array):
        return copied(grad)
    kept = grad._backend.empty_like(leaf._array, dtype=grad._array.dtype)
    kept[...] = grad._array
    return wrap(kept, grad._backend)


def copied(grad: Tensor) -> Tensor:
    """A copy of `grad` laid out row by row, with its place in the graph."""
    if grad.requires_grad or STATE.mode.interpreters:
        return grad.clone()
    array = grad._backend.empty(grad._array.shape, grad._array.dtype)
    array[...] = grad._array
    return wrap(array, grad._backend)


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
