"""Layers that read their input size from the first input.

Until then their parameters have no shape; afterwards they are ordinary layers: a `LazyLinear` becomes a `Linear`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from .convolution.modules import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .module import Module
from .normalisation.batch import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm,
    _Norm,
)
from .uninitialized import Uninitialized, UninitializedBuffer, UninitializedParameter


class Lazy(Module):
    """The common base: the first call runs `initialize_parameters` and changes the layer's class."""

    cls_to_become: ClassVar[type[Module] | None] = None
    initialize_parameters: Callable[..., None]
    """Sets the shapes of the parameters for a first input. Every kind of layer defines its own."""
    reset_parameters: Callable[[], None]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        late = self.has_uninitialized_params()
        self.initialize_parameters(*args, **kwargs)
        if late:
            self.reset_parameters()
        if self.cls_to_become is None:
            return super().__call__(*args, **kwargs)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        return self(*args, **kwargs)

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no shape yet."""
        return any(isinstance(each, Uninitialized) for each in (*self._parameters.values(), *self._buffers.values()))

    def _wait(self, *buffers: str) -> None:
        """Replace the parameters, and the named buffers, by ones without a shape."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                late = UninitializedParameter(device=parameter.device, dtype=parameter.dtype)
                self._parameters[name] = late
        for name in buffers:
            buffer = self._buffers[name]
            if buffer is not None:
                self._buffers[name] = UninitializedBuffer(device=buffer.device, dtype=buffer.dtype)

    def _give(self, name: str, *shape: int) -> None:
        """Set the shape of a parameter or buffer that has none yet."""
        for registry in (self._parameters, self._buffers):
            late: Any = registry.get(name)
            if isinstance(late, Uninitialized):
                late.materialize(shape)


class LazyLinear(Lazy, Linear):
    """`Linear`, with `in_features` read from the first input.

    >>> import minigrad as mg
    >>> layer = mg.nn.LazyLinear(3)
    >>> layer(mg.ones(2, 5)).shape, layer
    (minigrad.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, bias, device, dtype)  # draws no random numbers, as in PyTorch
        self.out_features = out_features
        self._wait()

    def initialize_parameters(self, input: Tensor) -> None:
        self.in_features = input.shape[-1]
        self._give("weight", self.out_features, self.in_features)
        self._give("bias", self.out_features)


class _LazyWindows(Lazy):
    """Convolutions and their transposes, whose input has its channels before the spatial dimensions."""

    in_channels: int
    out_channels: int
    groups: int
    dimensions: int
    transposed: bool
    kernel_size: tuple[int, ...]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        n = self.dimensions
        if input.ndim not in (n + 1, n + 2):
            raise ArgumentError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of "
                f"size: {list(input.shape)}"
            )
        self.in_channels = input.shape[-n - 1]
        if self.in_channels % self.groups:
            raise ArgumentError(f"in_channels ({self.in_channels}) must be divisible by groups ({self.groups})")
        channels = self.out_channels, self.in_channels
        first, second = reversed(channels) if self.transposed else channels
        self._give("weight", first, second // self.groups, *self.kernel_size)
        self._give("bias", self.out_channels)

    def reset_parameters(self) -> None:
        """Draw the weights, once their shape is known: before that PyTorch draws no random numbers either."""
        if self.in_channels:
            super().reset_parameters()


class _LazyConv(_LazyWindows):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        rest = stride, padding, dilation, groups, bias, padding_mode, device, dtype
        super().__init__(0, out_channels, kernel_size, *rest)
        self._wait()


class LazyConv1d(_LazyConv, Conv1d):
    """`Conv1d`, with `in_channels` read from the first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """`Conv2d`, with `in_channels` read from the first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """`Conv3d`, with `in_channels` read from the first input."""

    cls_to_become = Conv3d


class _LazyConvTranspose(_LazyWindows):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        rest = stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype
        super().__init__(0, out_channels, kernel_size, *rest)
        self._wait()


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """`ConvTranspose1d`, with `in_channels` read from the first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """`ConvTranspose2d`, with `in_channels` read from the first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """`ConvTranspose3d`, with `in_channels` read from the first input."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(Lazy, _Norm):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait("running_mean", "running_var")

    def initialize_parameters(self, input: Tensor) -> None:
        alone = isinstance(self, _InstanceNorm) and input.ndim == self.dimensions[0]  # without a batch dimension
        self.num_features = input.shape[0 if alone else 1]
        for name in ("weight", "bias", "running_mean", "running_var"):
            self._give(name, self.num_features)


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """`BatchNorm1d`, with `num_features` read from the first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """`BatchNorm2d`, with `num_features` read from the first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """`BatchNorm3d`, with `num_features` read from the first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """`InstanceNorm1d`, with `num_features` read from the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """`InstanceNorm2d`, with `num_features` read from the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """`InstanceNorm3d`, with `num_features` read from the first input."""

    cls_to_become = InstanceNorm3d
