"""``torch.nn.parallel._functions``, which batch norms for several GPUs import: the same for the one device there is."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import DeviceError
from ...ops.shape.join import cat


class Broadcast:
    """Tensors on each of several devices."""

    @staticmethod
    def apply(target_gpus: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
        """The tensors themselves, for one device; DeviceError for more."""
        _one(target_gpus)
        return inputs


class ReduceAddCoalesced:
    """The sums over devices."""

    @staticmethod
    def apply(destination: Any, num_inputs: int, *grads: Tensor) -> tuple[Tensor, ...]:
        """The sums of the first, second, ... of each `num_inputs` tensors."""
        return tuple(sum(grads[i + num_inputs :: num_inputs], grads[i]) for i in range(num_inputs))


class Gather:
    """The parts of a batch, joined."""

    @staticmethod
    def apply(target_device: Any, dim: int, *inputs: Tensor) -> Tensor:
        """The tensors joined along `dim`."""
        return cat(list(inputs), dim)


class Scatter:
    """A batch, shared out."""

    @staticmethod
    def apply(target_gpus: Any, chunk_sizes: Any, dim: int, input: Tensor) -> tuple[Tensor, ...]:
        """The whole of it, for one device; DeviceError for more."""
        _one(target_gpus)
        return (input,)


def _one(devices: Any) -> None:
    if len(devices) > 1:
        raise DeviceError(f"there is one device, and tensors were asked for on {list(devices)}")
