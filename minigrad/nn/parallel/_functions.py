"""``torch.nn.parallel._functions``, which batch norms for several GPUs import; here for a single device."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import DeviceError
from ...ops.shape.join import cat


class Broadcast:
    """Copies tensors to several devices."""

    @staticmethod
    def apply(target_gpus: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the tensors themselves, for one device; DeviceError for more."""
        _one(target_gpus)
        return inputs


class ReduceAddCoalesced:
    """Sums tensors over devices."""

    @staticmethod
    def apply(destination: Any, num_inputs: int, *grads: Tensor) -> tuple[Tensor, ...]:
        """Return the sums of the first, second, ... of each `num_inputs` tensors."""
        return tuple(sum(grads[i + num_inputs :: num_inputs], grads[i]) for i in range(num_inputs))


class Gather:
    """Joins the parts of a batch."""

    @staticmethod
    def apply(target_device: Any, dim: int, *inputs: Tensor) -> Tensor:
        """Return the tensors joined along `dim`."""
        return cat(list(inputs), dim)


class Scatter:
    """Splits a batch over devices."""

    @staticmethod
    def apply(target_gpus: Any, chunk_sizes: Any, dim: int, input: Tensor) -> tuple[Tensor, ...]:
        """Return the whole batch, for one device; DeviceError for more."""
        _one(target_gpus)
        return (input,)


def _one(devices: Any) -> None:
    if len(devices) > 1:
        raise DeviceError(f"there is one device, and tensors were asked for on {list(devices)}")
