"""Layers that normalise each channel to mean 0 and variance 1 over the batch, with running statistics."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.create.factories import ones, zeros
from .. import functional as F
from .modules import Affine, give_affine


class _Norm(Affine):
    """Normalises each channel of (N, C, ...): in training by the batch's statistics, else by the running ones."""

    _version = 2

    dimensions: tuple[int, ...] = ()
    """The numbers of dimensions that an input may have."""

    momentum: Any
    """The weight of the new batch in the running statistics, 0.1 by default; None averages all batches equally."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        give_affine(self, num_features, affine, affine and bias, device, dtype)
        track = track_running_stats
        mean = zeros(num_features, device=device, dtype=dtype) if track else None
        var = ones(num_features, device=device, dtype=dtype) if track else None
        count = zeros((), dtype=dtypes.int64, device=device) if track else None
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the running statistics, the scale to 1 and the shift to 0."""
        self.reset_running_stats()
        super().reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *lists: Any
    ) -> None:
        """Accept checkpoints from before version 2, which do not count batches."""
        if local_metadata.get("version", 1) < 2 and self.track_running_stats:
            count = self.num_batches_tracked
            known = count is not None and count._backend.has_elements
            state_dict.setdefault(prefix + "num_batches_tracked", count if known else zeros((), dtype=dtypes.int64))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *lists)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in self.dimensions:
            wanted = " or ".join(f"{each}D" for each in self.dimensions)
            raise ArgumentError(f"{type(self).__name__} expected {wanted} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Norm):
    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised. In training, the running statistics are updated."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        mean, var = self.running_mean, self.running_var
        of_the_batch = self.training or mean is None
        if self.training and not self.track_running_stats:
            mean = var = None  # the running statistics are neither used nor updated
        elif self.training and (count := self.num_batches_tracked) is not None:
            count.add_(1)
            if self.momentum is None:  # the mean of all batches
                factor = 1.0 / float(count)
        return F.batch_norm(input, mean, var, self.weight, self.bias, of_the_batch, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L)."""

    dimensions = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    dimensions = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    dimensions = (5,)


class _InstanceNorm(_Norm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised."""
        self._check_input_dim(input)
        of_the_image = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum  # None keeps the statistics, as in PyTorch
        if input.ndim == self.dimensions[0]:  # no batch dimension
            return self.forward(input.unsqueeze(0)).squeeze(0)
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, of_the_image, momentum, self.eps
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sequence separately, for (N, C, L) or (C, L)."""

    dimensions = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each image separately, for (N, C, H, W) or (C, H, W)."""

    dimensions = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each volume separately, for (N, C, D, H, W) or (C, D, H, W)."""

    dimensions = (4, 5)
