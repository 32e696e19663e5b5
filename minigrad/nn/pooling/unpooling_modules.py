"""Layers that undo a max pool, given where the largest elements were."""

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
        """`input`, larger, with zeros between."""
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_Unpool):
    """`MaxPool1d` undone."""

    dimensions = 1
    function = F.max_unpool1d


class MaxUnpool2d(_Unpool):
    """`MaxPool2d` undone."""

    dimensions = 2
    function = F.max_unpool2d


class MaxUnpool3d(_Unpool):
    """`MaxPool3d` undone."""

    dimensions = 3
    function = F.max_unpool3d
