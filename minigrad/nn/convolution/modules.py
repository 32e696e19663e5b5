"""Convolutions over one, two and three dimensions, and their transposes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.common.dims import one_int
from ...ops.create.factories import empty
from .. import functional as F
from ..init import uniform_all
from ..module import Module
from ..parameter import Parameter, optional

Sizes = Any
"""An int, or one for each dimension of the window."""


def repeated(value: Sizes, count: int) -> tuple[int, ...]:
    """Return `value` repeated for each of `count` dimensions, or as a tuple if it is a sequence."""
    if isinstance(value, Sequence):
        if len(value) != count:
            raise ArgumentError(f"expected one int or {count} of them, got {tuple(value)}")
        return tuple(value)
    return (value,) * count


class _Convolution(Module):
    """The common part of convolutions and their transposes."""

    dimensions = 0
    transposed = False
    padding: Any
    """A size for each dimension; for convolutions also "same" or "valid"."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes | str,
        dilation: Sizes,
        transposed: bool,
        output_padding: Sizes,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.transposed = transposed
        in_channels, out_channels = one_int("in_channels", in_channels), one_int("out_channels", out_channels)
        groups = one_int("groups", groups)
        if groups <= 0:
            raise ArgumentError(f"groups must be a positive integer, got {groups}")
        if in_channels % groups or out_channels % groups:
            raise ArgumentError(
                f"in_channels ({in_channels}) and out_channels ({out_channels}) must be divisible by groups ({groups})"
            )
        if self.transposed and padding_mode != "zeros":
            raise ArgumentError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        modes = ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ArgumentError(f"padding_mode must be one of {modes}, but got padding_mode={padding_mode!r}")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ArgumentError(f"Invalid padding string {padding!r}, should be one of 'same', 'valid'")
        n = self.dimensions = self.dimensions or len(kernel_size)  # a subclass may not set `dimensions`
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = repeated(kernel_size, n)
        self.stride = repeated(stride, n)
        if padding == "same" and any(step != 1 for step in self.stride):
            raise ArgumentError("padding='same' is not supported for strided convolutions")
        self.padding = padding if isinstance(padding, str) else repeated(padding, n)
        self.dilation = repeated(dilation, n)
        self.output_padding = repeated(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._border()
        channels = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*channels, *self.kernel_size), device=device, dtype=dtype))
        self.register_parameter("bias", optional(bias, out_channels, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the parameters, uniform between ±1/√(number of products in each output)."""
        fan_in = math.prod(self.weight.shape[1:])
        uniform_all(self, 1 / math.sqrt(fan_in) if fan_in else 0.0, "weight", "bias")

    def _border(self) -> list[int]:
        """Return the padding as `F.pad` expects it: last dimension first, before and after."""
        border = []
        for i in reversed(range(self.dimensions)):
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                border += [total // 2, total - total // 2]
            else:
                size = 0 if self.padding == "valid" else self.padding[i]
                border += [size, size]
        return border

    def extra_repr(self) -> str:
        n = self.dimensions
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        usual = {
            "padding": (0,) * n,
            "dilation": (1,) * n,
            "output_padding": (0,) * n,
            "groups": 1,
        }
        parts += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_Convolution):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            False,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Convolve `input` (N, in_channels, ...) to (N, out_channels, ...)."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Convolve with a given weight, for subclasses that standardise or mask theirs."""
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self.dimensions - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """1d convolution over (N, C, L)."""

    dimensions = 1


class Conv2d(_Conv):
    """2d convolution over (N, C, H, W).

    >>> import minigrad as mg
    >>> mg.nn.Conv2d(16, 33, 3, stride=2)(mg.ones(2, 16, 10, 11)).shape
    minigrad.Size([2, 33, 4, 5])
    """

    dimensions = 2


class Conv3d(_Conv):
    """3d convolution over (N, C, D, H, W)."""

    dimensions = 3


class _ConvTranspose(_Convolution):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            True,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Convolve `input` (N, in_channels, ...), transposed, to (N, out_channels, ...), of `output_size` if given."""
        spread = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.dimensions - 1]
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        return spread(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input: Tensor, output_size: Sequence[int]) -> tuple[int, ...]:
        """Return the output padding that leads to `output_size`."""
        n = self.dimensions
        extra = []
        for i, (wanted, size) in enumerate(zip(tuple(output_size)[-n:], input.shape[-n:], strict=True)):
            reach = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            least = (size - 1) * self.stride[i] - 2 * int(self.padding[i]) + reach
            if not least <= wanted < least + self.stride[i]:
                raise ArgumentError(
                    f"requested an output size of {tuple(output_size)}, but dimension {i} can be "
                    f"{least} to {least + self.stride[i] - 1}"
                )
            extra.append(wanted - least)
        return tuple(extra)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of `Conv1d`: each input element spreads over a window of the output."""

    dimensions = 1


class ConvTranspose3d(_ConvTranspose):
    """The transpose of `Conv3d`: each input element spreads over a window of the output."""

    dimensions = 3


class ConvTranspose2d(_ConvTranspose):
    """The transpose of `Conv2d`: each input element spreads over a window of the output."""

    dimensions = 2
