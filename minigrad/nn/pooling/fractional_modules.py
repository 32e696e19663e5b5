"""Layers that pool by a fractional ratio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.common.dims import ints, pair
from .. import functional as F
from ..module import Module


class _FractionalMaxPool(Module):
    dimensions: ClassVar[int]
    function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        n = self.dimensions
        self.kernel_size = ints("kernel_size", kernel_size, n)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else ints("output_size", output_size, n)
        self.output_ratio = None if output_ratio is None else pair(output_ratio, n)
        if (output_size is None) == (output_ratio is None):
            raise ArgumentError(f"{type(self).__name__} requires either an output_size or an output_ratio, not both")
        if self.output_ratio is not None and any(not 0 < ratio < 1 for ratio in self.output_ratio):
            raise ArgumentError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input."""
        wanted = self.output_size, self.output_ratio
        return type(self).function(input, self.kernel_size, *wanted, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maxima of windows at random positions of (N, C, H, W)."""

    dimensions = 2
    function = F.fractional_max_pool2d


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maxima of windows at random positions of (N, C, D, H, W)."""

    dimensions = 3
    function = F.fractional_max_pool3d
