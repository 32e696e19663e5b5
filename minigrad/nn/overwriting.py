"""Activations that overwrite their input, and PyTorch's other names for functions that are here already."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.activation import celu, elu, hardtanh, leaky_relu, selu
from .activations import threshold
from .adaptive_pools import adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d
from .fractional import fractional_max_pool2d, fractional_max_pool3d
from .images import interpolate
from .pools import max_pool1d, max_pool2d, max_pool3d


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


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Any:
    """`max_pool1d`, and where the largest elements were."""
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Any:
    """`max_pool2d`, and where the largest elements were."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Any:
    """`max_pool3d`, and where the largest elements were."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Any:
    """`adaptive_max_pool1d`, and where the largest elements were."""
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Any:
    """`adaptive_max_pool2d`, and where the largest elements were."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Any:
    """`adaptive_max_pool3d`, and where the largest elements were."""
    return adaptive_max_pool3d(input, output_size, True)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = True,
    _random_samples: Tensor | None = None,
) -> Any:
    """`fractional_max_pool2d`, and where the largest elements were."""
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = True,
    _random_samples: Tensor | None = None,
) -> Any:
    """`fractional_max_pool3d`, and where the largest elements were."""
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate` under its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` to the nearest elements, under its old name."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` along straight lines from corner to corner, under its old name."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)
