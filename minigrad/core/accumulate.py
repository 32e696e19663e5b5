"""Finish a gradient: fit it to the input it belongs to, and add it to a leaf's ``.grad``."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ..events import LISTENERS
from .graph import AccumulateGrad
from .tensor import Tensor, wrap

if TYPE_CHECKING:
    from .engine import Pass

_accumulating = threading.RLock()


def fit(grad: Tensor, shape: tuple[int, ...], dtype: Any) -> Tensor:
    """Return `grad` summed to `shape` over the dimensions that were broadcast, and cast to `dtype` if given."""
    found = grad._array.shape
    if found != shape:
        more = len(found) - len(shape)
        padded = (1,) * more + shape
        if more < 0 or any(want != got and want != 1 for want, got in zip(padded, found, strict=True)):
            from . import messages

            raise messages.misfitting(found, shape)
        axes = tuple([i for i, got in enumerate(found) if i < more or padded[i] != got])
        grad = grad.sum(axes, keepdim=True)
        if more:
            grad = grad.reshape(shape)
    if dtype is not None and grad._array.dtype != dtype:
        from .gradients import cast

        grad = cast(grad, dtype)
    return grad


def accumulate(run: Pass, node: AccumulateGrad, grad: Tensor) -> bool:
    """Add `grad` to the leaf's ``.grad``. Return whether it is the first gradient there.

    The first gradient itself becomes ``.grad`` if only the engine holds it; otherwise a copy does: ``.grad`` never
    shares memory with the caller's tensors or with another leaf's ``.grad``. Later ones are added in place, unless
    `create_graph` is on.
    """
    leaf = node.variable
    with _accumulating:
        before = leaf._grad
        if before is None:
            owned = node in run.owned and grad._array.strides == leaf._array.strides
            leaf._grad = first(leaf, grad, owned, run.create)
        elif run.create:
            leaf._grad = before + grad
        else:
            before._array += fit(grad, before._array.shape, before._array.dtype)._array
            before._storage.version += 1
    if LISTENERS:
        run.tell_added((node, 0), grad, leaf._grad, leaf)
    return before is None


def first(leaf: Tensor, grad: Tensor, owned: bool, create: bool) -> Tensor:
    """Return the first value of ``leaf.grad``: `grad` itself if only the engine holds it, else a copy."""
    if create or not leaf._array.flags.c_contiguous:
        from .gradients import first_of_odd

        return first_of_odd(leaf, grad, owned)
    if owned:
        return grad
    kept = grad._backend.empty_like(leaf._array, dtype=grad._array.dtype)
    kept[...] = grad._array
    return wrap(kept, grad._backend)
