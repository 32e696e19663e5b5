"""Dropout: in training, random elements are set to 0, and the others scaled up to keep the mean."""

from __future__ import annotations

import warnings
from typing import Any

from ... import dtypes
from ...core.interpreter import drawing
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, DtypeError, ShapeError
from ..random.distributions import in_memory_order, source


@drawing
def kept(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Return a mask of `shape`: 0 with probability `p`, else 1 / (1 - p)."""
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
    """In training, set each element to 0 with probability `p`, and multiply the others by ``1 / (1 - p)``."""
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


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, L) or (C, L)."""
    ndim = input._array.ndim
    if ndim not in (2, 3):
        raise ShapeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Channels are dropped of (N, C, L) or "
            "(C, L); dropout drops elements."
        )
    return _channels(input, p, training, inplace, ndim == 3)


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, H, W), or, with a warning, of (N, C, L)."""
    ndim = input._array.ndim
    _warn_of_dimensions("dropout2d", ndim, (3, 4))
    if ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. For that, dropout1d is clearer; of "
            "(C, H, W), unsqueeze(0) makes a batch.",
            stacklevel=3,
        )
    return _channels(input, p, training, inplace, True)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    _warn_of_dimensions("dropout3d", input._array.ndim, (4, 5))
    return _channels(input, p, training, inplace, input._array.ndim == 5)


def _warn_of_dimensions(name: str, ndim: int, wanted: tuple[int, int]) -> None:
    if ndim not in wanted:
        warnings.warn(
            f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
            f"release. To retain the behavior and silence this warning, please use dropout instead: {name} drops whole "
            f"channels of inputs with {wanted[0]} or {wanted[1]} dimensions.",
            stacklevel=4,
        )


def _channels(input: Any, p: float, training: bool, inplace: bool, batched: bool) -> Any:
    """Drop whole channels: along the second dimension if `batched`, else along the first."""
    shape = input._array.shape
    whole = 2 if batched else 1
    return _dropped(input, (*shape[:whole], *(1,) * (len(shape) - whole)), p, training, inplace)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout to the limit of selu, then scaled and shifted to keep mean and variance."""
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
