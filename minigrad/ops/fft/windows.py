"""Windows: weights for a segment of a signal before a transform. Most fall off towards both ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import DtypeError, ShapeError
from ..common.dims import one_int
from ..create.factories import arange
from ..special.bessel import i0

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def sampled(
    weights: Callable[[Any, int], Any], window_length: int, periodic: bool, *, dtype: Any = None,
    requires_grad: bool = False, **options: Any,
) -> Tensor:  # fmt: skip
    """Return ``weights(n, N)`` for n = 0, 1, ..., with N steps in one period; a single weight is 1."""
    kind = dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)
    if not kind.is_floating_point:
        raise DtypeError(f"window functions expect a floating point dtype, got {kind}")
    length = one_int("window_length", window_length)
    if length < 0:
        raise ShapeError(f"window_length must be non-negative, got {length}")
    n = arange(length, dtype=dtypes.float64, **options)
    values = weights(n, max(length if periodic else length - 1, 1)) if length != 1 else n + 1
    made: Tensor = values.to(kind)
    return made.requires_grad_() if requires_grad else made


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    requires_grad: bool = False, **options: Any,
) -> Tensor:  # fmt: skip
    """``alpha - beta cos(2 pi n / N)``: a raised cosine that does not fall to 0."""

    def weights(n: Any, period: int) -> Any:
        return alpha - beta * (n * (2 * math.pi / period)).cos()

    return sampled(weights, window_length, periodic, dtype=dtype, requires_grad=requires_grad, **options)


def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, **options: Any
) -> Tensor:
    """``(1 - cos(2 pi n / N)) / 2``: a raised cosine.

    >>> import minigrad as mg
    >>> mg.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return hamming_window(window_length, periodic, 0.5, 0.5, dtype=dtype, requires_grad=requires_grad, **options)


def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, **options: Any
) -> Tensor:
    """``0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)``."""

    def weights(n: Any, period: int) -> Any:
        turn = n * (2 * math.pi / period)
        return 0.42 - 0.5 * turn.cos() + 0.08 * (turn * 2).cos()

    return sampled(weights, window_length, periodic, dtype=dtype, requires_grad=requires_grad, **options)


def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, **options: Any
) -> Tensor:
    """A triangle from 0 to 1 and back."""

    def weights(n: Any, period: int) -> Any:
        return 1 - (n * (2 / period) - 1).abs()

    return sampled(weights, window_length, periodic, dtype=dtype, requires_grad=requires_grad, **options)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, requires_grad: bool = False,
    **options: Any,
) -> Tensor:  # fmt: skip
    """Bessel's ``I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)``."""

    def weights(n: Any, period: int) -> Any:
        inside = (1 - (n * (2 / period) - 1) ** 2).clamp(min=0).sqrt()
        return i0(inside * beta) / i0(n.new_full((), beta))

    return sampled(weights, window_length, periodic, dtype=dtype, requires_grad=requires_grad, **options)
