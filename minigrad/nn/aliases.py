"""PyTorch's further names of functions that exist under another name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor
from .image.functions import interpolate
from .pooling.adaptive import adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d
from .pooling.fractional import fractional_max_pool2d, fractional_max_pool3d
from .pooling.functions import max_pool1d, max_pool2d, max_pool3d


def with_indices(pool: Callable[..., Any]) -> Callable[..., Any]:
    """Return `pool` with ``return_indices=True`` always."""
    signature = inspect.signature(pool)

    @functools.wraps(pool)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.arguments["return_indices"] = True
        return pool(*given.args, **given.kwargs)

    call.__name__ = call.__qualname__ = f"{pool.__name__}_with_indices"
    call.__doc__ = f"`{pool.__name__}`, and where the largest elements were."
    return call


max_pool1d_with_indices = with_indices(max_pool1d)
max_pool2d_with_indices = with_indices(max_pool2d)
max_pool3d_with_indices = with_indices(max_pool3d)
adaptive_max_pool1d_with_indices = with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = with_indices(adaptive_max_pool3d)
fractional_max_pool2d_with_indices = with_indices(fractional_max_pool2d)
fractional_max_pool3d_with_indices = with_indices(fractional_max_pool3d)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate` under its former name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in mode "nearest", under its former name."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in mode "bilinear" with `align_corners`, under its former name."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)
