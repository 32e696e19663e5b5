"""Layer norm: each row by itself, while it is in the first cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .arithmetic import F

REORDERED = {"contract", "nsz", "reassoc"}
"""A sum may be taken in several parts, as vector instructions do, and as NumPy does."""


@njit(fastmath=REORDERED, inline="always")
def _moments(row: Any, eps: Any) -> tuple[Any, Any]:
    """The mean of a row, and one over its deviation."""
    size = F(row.size)
    total = F(0)
    for j in range(row.size):
        total += row[j]
    mean = total / size
    squares = F(0)
    for j in range(row.size):
        squares += (row[j] - mean) * (row[j] - mean)
    return mean, F(1) / np.sqrt(squares / size + eps)


@njit(fastmath=REORDERED, error_model="numpy", nogil=True, cache=True)
def _layer_norm(x: Any, weight: Any, bias: Any, eps: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        row, made = x[i], out[i]
        mean, scale = _moments(row, eps)
        for j in range(row.size):
            made[j] = (row[j] - mean) * scale * weight[j] + bias[j]


@njit(fastmath=REORDERED, error_model="numpy", nogil=True, cache=True)
def _layer_norm_backward(g: Any, x: Any, weight: Any, eps: Any, out: Any, of_weight: Any, of_bias: Any) -> None:
    size = F(x.shape[1])
    for i in range(x.shape[0]):
        row, grad, made = x[i], g[i], out[i]
        mean, scale = _moments(row, eps)
        total, product = F(0), F(0)
        for j in range(row.size):
            hat = (row[j] - mean) * scale
            slope = grad[j] * weight[j]
            of_weight[j] += grad[j] * hat
            of_bias[j] += grad[j]
            total += slope
            product += slope * hat
        total /= size
        product /= size
        for j in range(row.size):
            made[j] = (grad[j] * weight[j] - total - (row[j] - mean) * scale * product) * scale


def layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Rows of `x` with mean 0 and variance 1, times a weight, plus a bias."""
    out = np.empty_like(x)
    _layer_norm(x.reshape(-1, x.shape[-1]), weight, bias, F(eps), out.reshape(-1, x.shape[-1]))
    return out


def layer_norm_backward(g: Any, x: Any, weight: Any, eps: float) -> tuple[Any, Any, Any]:
    """The gradients of input, weight and bias."""
    size = x.shape[-1]
    out, of_weight, of_bias = np.empty_like(x), np.zeros_like(weight), np.zeros_like(weight)
    rows = (each.reshape(-1, size) for each in (g, x))
    _layer_norm_backward(*rows, weight, F(eps), out.reshape(-1, size), of_weight, of_bias)
    return out, of_weight, of_bias
