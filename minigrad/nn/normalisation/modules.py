"""Layers that normalise each sample to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.common.dims import sizes_of
from ...ops.create.factories import ones, zeros
from .. import functional as F
from .. import init
from ..module import Module
from ..parameter import Parameter


def give_affine(module: Module, shape: Any, weight: bool, bias: bool, device: Any, dtype: Any) -> None:
    """Give `module` a scale and a shift; each is None if it is not wanted."""
    for name, wanted, fill in (("weight", weight, ones), ("bias", bias, zeros)):
        module.register_parameter(name, Parameter(fill(shape, device=device, dtype=dtype)) if wanted else None)


class Affine(Module):
    """A layer that may have a scale `weight` and a shift `bias`."""

    def reset_parameters(self) -> None:
        """Reset the scale to 1 and the shift to 0."""
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            parameter = getattr(self, name, None)
            if parameter is not None:
                init.constant_(parameter, value)


class LayerNorm(Affine):
    """Normalises over the last dimensions, those of `normalized_shape`."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = sizes_of([normalized_shape])
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        give_affine(self, self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = self.elementwise_affine
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={self.bias is not None}"


class RMSNorm(Affine):
    """Scales to a root mean square of 1 over the last dimensions, without subtracting the mean."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = sizes_of([normalized_shape])
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        scale = Parameter(ones(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", scale)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Affine):
    """Normalises over groups of channels of (N, C, ...)."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        give_affine(self, num_channels, affine, affine and bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        bias = self.bias is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={bias}"


class LocalResponseNorm(Module):
    """Divides each channel by a power of the mean square of its neighbours."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """`LocalResponseNorm` under its former name, for images."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)
