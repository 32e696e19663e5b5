"""Batch normalisation over the batches of all ranks."""

from __future__ import annotations

from typing import Any

from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...distributed.group import get_world_size, is_initialized
from ...distributed.nn.functional import all_reduce
from ...errors import ArgumentError
from ...ops.create.factories import tensor
from ..module import Module
from .batch import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm


class SyncBatchNorm(_BatchNorm):
    """Normalises (N, C, ...) by mean and variance of the batches of all ranks, which may have different sizes.

    On a single rank, and in evaluation, it is an ordinary batch norm. See Ioffe and Szegedy, 2015,
    https://arxiv.org/abs/1502.03167.

    >>> import minigrad as mg
    >>> net = SyncBatchNorm.convert_sync_batchnorm(mg.nn.Sequential(mg.nn.BatchNorm1d(3)))
    >>> net
    Sequential(
      (0): SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    )
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ArgumentError(f"expected at least 2D input (got {input.ndim}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, normalised; in training by the statistics of all ranks."""
        of_the_batch = self.training or self.running_mean is None
        if not of_the_batch or not is_initialized() or get_world_size(self.process_group) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        dims = (0, *range(2, input.ndim))
        shape = (1, -1, *(1 for _ in dims[1:]))
        with no_grad():
            count = all_reduce(
                tensor(float(input.numel() // input.shape[1])).to(input), group=self.process_group
            ).item()
        mean = all_reduce(input.sum(dims), group=self.process_group) / count
        centred = input - mean.reshape(shape)
        variance = all_reduce((centred * centred).sum(dims), group=self.process_group) / count
        if self.track_running_stats:
            self._remember(mean, variance, count)
        out = centred * (variance + self.eps).rsqrt().reshape(shape)
        if self.weight is not None:
            out = out * self.weight.reshape(shape)
        return out if self.bias is None else out + self.bias.reshape(shape)

    def _remember(self, mean: Tensor, variance: Tensor, count: float) -> None:
        """Update the running statistics by these."""
        with no_grad():
            self.num_batches_tracked.add_(1)
            factor = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
            self.running_mean.mul_(1 - factor).add_(mean.detach() * factor)
            self.running_var.mul_(1 - factor).add_(variance.detach() * (factor * count / max(count - 1, 1)))

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace each batch norm in `module` by a `SyncBatchNorm` with the same parameters; return `module`."""
        if isinstance(module, (BatchNorm1d, BatchNorm2d, BatchNorm3d)):
            made = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            made._parameters.update(module._parameters)
            made._buffers.update(module._buffers)
            made.training = module.training
            return made
        for name, child in module.named_children():
            setattr(module, name, cls.convert_sync_batchnorm(child, process_group))
        return module
