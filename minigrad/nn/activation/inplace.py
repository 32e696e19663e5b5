"""Activations that overwrite their input."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.nn.activation import celu, elu, hardtanh, leaky_relu, selu
from .functions import threshold


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place."""
    return celu(input, alpha, True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return elu(input, alpha, True)


def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    return selu(input, True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input: Tensor, threshold_: float, value: float) -> Tensor:
    """`threshold` in place."""
    return threshold(input, threshold_, value, True)
