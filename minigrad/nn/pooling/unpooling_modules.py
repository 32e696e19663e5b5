"""Layers that undo a max pool, given the indices of the maxima."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...core.tensor import Tensor
from .. import functional as F
from ..function_module import Configured
from .functions import windows


class _Unpool(Configured):
    settings = ("kernel_size", "stride", "padding")
    dimensions: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.keep(*windows(self.dimensions, kernel_size, stride, padding))

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Return the larger input, with zeros between the maxima."""
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_Unpool):
    """Undoes `MaxPool1d`."""

    dimensions = 1
    function = F.max_unpool1d


class MaxUnpool2d(_Unpool):
    """Undoes `MaxPool2d`."""

    dimensions = 2
    function = F.max_unpool2d


class MaxUnpool3d(_Unpool):
    """Undoes `MaxPool3d`."""

    dimensions = 3
    function = F.max_unpool3d
