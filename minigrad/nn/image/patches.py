"""Layers that cut images into patches, and sum patches into images."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from .. import functional as F
from ..function_module import Configured


class Unfold(Configured):
    """Returns every window as a column: (N, C, H, W) to (N, C kH kW, positions)."""

    settings = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.keep(kernel_size, dilation, padding, stride)

    def forward(self, input: Tensor) -> Tensor:
        """Return the columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Configured):
    """Sums columns into their windows: (N, C kH kW, positions) to (N, C, H, W)."""

    settings = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.keep(output_size, kernel_size, dilation, padding, stride)

    def forward(self, input: Tensor) -> Tensor:
        """Return the image."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
