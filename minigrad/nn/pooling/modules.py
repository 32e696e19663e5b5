"""Layers that pool sequences, images and volumes."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from .. import functional as F
from ..convolution.modules import repeated
from ..module import Module


class _MaxPool(Module):
    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _settings(self) -> dict[str, Any]:
        settings = {"padding": self.padding, "dilation": self.dilation, "ceil_mode": self.ceil_mode}
        return {**settings, "return_indices": True} if self.return_indices else settings

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The maximum of each window of (N, C, L)."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input."""
        return F.max_pool1d(input, self.kernel_size, self.stride, **self._settings())


class MaxPool2d(_MaxPool):
    """The maximum of each window of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input."""
        return F.max_pool2d(input, self.kernel_size, self.stride, **self._settings())


class MaxPool3d(_MaxPool):
    """The maximum of each window of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input."""
        return F.max_pool3d(input, self.kernel_size, self.stride, **self._settings())


class _AvgPool(Module):
    """A mean of windows, with an optional other divisor."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _settings(self) -> dict[str, Any]:
        counted = self.count_include_pad
        return {"padding": self.padding, "ceil_mode": self.ceil_mode, "count_include_pad": counted}

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of (N, C, L)."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        stride = kernel_size if stride is None else stride
        kernel_size, stride, padding = (repeated(each, 1) for each in (kernel_size, stride, padding))
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, **self._settings())


class AvgPool2d(_AvgPool):
    """The mean of each window of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        divisor = self.divisor_override
        return F.avg_pool2d(input, self.kernel_size, self.stride, **self._settings(), divisor_override=divisor)


class AvgPool3d(_AvgPool):
    """The mean of each window of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        divisor = self.divisor_override
        return F.avg_pool3d(input, self.kernel_size, self.stride, **self._settings(), divisor_override=divisor)


class _LPPool(Module):
    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The p-norm of each window of (N, C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """The p-norm of each window of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """The p-norm of each window of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _Adaptive(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Means over windows of (N, C, L), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """Means over windows of (N, C, H, W), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Means over windows of (N, C, D, H, W), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMax):
    """Maxima over windows of (N, C, L), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """Maxima over windows of (N, C, H, W), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """Maxima over windows of (N, C, D, H, W), as many as `output_size` says."""

    def forward(self, input: Tensor) -> Any:
        """Return the pooled input, of size `output_size`."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
