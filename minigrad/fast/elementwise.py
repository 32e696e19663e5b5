"""GELU and Adam: every element by itself, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..ops.nn.gelu import ODD
from .arithmetic import FUSED, F, exp
from .parts import in_parts

O0, O1, O2, O3, O4, O5, O6 = (F(each) for each in ODD)
DENSITY = F(0.3989422804014327)  # 1 / sqrt(2 pi)


@njit(fastmath=FUSED, inline="always")
def chance(x: Any) -> Any:
    """The probability that a standard normal number is below x, as in `ops.nn.gelu`."""
    square = x * x
    odds = ((((((O6 * square + O5) * square + O4) * square + O3) * square + O2) * square) + O1) * square + O0
    return F(1) / (F(1) + exp(-odds * x))


@njit(fastmath=FUSED, error_model="numpy", nogil=True, cache=True)
def _gelu(x: Any, out: Any) -> None:
    for i in range(x.size):
        out[i] = x[i] * chance(x[i])


@njit(fastmath=FUSED, error_model="numpy", nogil=True, cache=True)
def _gelu_backward(g: Any, x: Any, out: Any) -> None:
    for i in range(x.size):
        v = x[i]
        out[i] = g[i] * (chance(v) + v * exp(F(-0.5) * v * v) * DENSITY)


@njit(error_model="numpy", nogil=True, cache=True)
def _adam(
    param: Any, grad: Any, mean: Any, square: Any, one: Any, two: Any, keep: Any, root: Any, eps: Any, rate: Any
) -> None:
    for i in range(param.size):
        g = grad[i]
        m = mean[i] + (g - mean[i]) * one
        s = square[i] * keep + g * g * two
        mean[i] = m
        square[i] = s
        param[i] -= m / (np.sqrt(s) * root + eps) * rate


def gelu(x: Any) -> Any:
    """``x * Phi(x)``."""
    out = np.empty_like(x)
    in_parts(_gelu, x, out)
    return out


def gelu_backward(g: Any, x: Any) -> Any:
    """Its gradient."""
    out = np.empty_like(x)
    in_parts(_gelu_backward, g, x, out)
    return out


def adam(param: Any, grad: Any, mean: Any, square: Any, settings: tuple[float, ...]) -> None:
    """A step of Adam in place, bit for bit as `optim.adam` takes it.

    `settings`: 1 - beta1, 1 - beta2, beta2, 1 / sqrt(1 - beta2^n), eps, the rate over 1 - beta1^n.
    """
    in_parts(_adam, param, grad, mean, square, numbers=tuple(F(each) for each in settings))
