"""Dropout: elements left out at random while training, the others made larger to make up for it."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.interpreter import drawing
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, DtypeError
from ..random.distributions import in_memory_order, source


@drawing
def kept(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """A mask of `shape`: 0 with probability `p`, else 1 / (1 - p)."""
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
    backend = input._backend
    if p == 1.0:
        return wrap(backend.zeros(shape, input._array.dtype), backend)
    draw, array = source(None, backend), input._array
    if shape == array.shape:
        drawn = in_memory_order(array, lambda laid_out: draw.bernoulli(laid_out, 1 - p))
    else:
        drawn = draw.bernoulli(shape, 1 - p)
    return wrap(backend.multiply(drawn, array.dtype.type(1 / (1 - p))), backend)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`input` with each element zeroed with probability `p`, the others times ``1 / (1 - p)``, in training."""
    return _dropped(input, input._array.shape, p, training, inplace)


def _dropped(input: Any, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Any:
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if input.dtype.kind < dtypes.FLOAT:
        raise DtypeError(f"dropout of {input.dtype}: result type Float can't be cast to it; give it a floating type")
    mask = kept(input, shape, p)
    return input.mul_(mask) if inplace else input * mask


def channel_dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, ...)."""
    shape = input._array.shape
    return _dropped(input, (*shape[:2], *(1,) * (len(shape) - 2)), p, training, inplace)


dropout1d = dropout2d = dropout3d = channel_dropout


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout to the value that selu approaches, then scaled and moved so that mean and variance stay."""
    return _moved(input, input._array.shape, p, training, inplace)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, ...)."""
    shape = input._array.shape
    return _moved(input, (*shape[:2], *(1,) * (len(shape) - 2)), p, training, inplace)


def _moved(input: Any, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Any:
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    low = -1.7580993408473766
    keep = kept(input, shape, p) != 0
    a = ((1 - p) * (1 + p * low**2)) ** -0.5
    result = input.where(keep, low) * a - a * p * low
    return input.copy_(result) if inplace else result
