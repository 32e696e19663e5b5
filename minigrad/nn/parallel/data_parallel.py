"""A module on several GPUs in PyTorch; here, with a single device, the module is just called."""

from __future__ import annotations

from typing import Any

from ...errors import DeviceError
from ..module import Module


class DataParallel(Module):
    """Calls `module`, its attribute of that name. So state dicts have the prefix ``module.``, as in PyTorch.

    The batch is not split: there is one device.

    >>> import minigrad as mg
    >>> net = DataParallel(mg.nn.Linear(3, 2))
    >>> tuple(net(mg.ones(4, 3)).shape), list(net.state_dict())
    ((4, 2), ['module.weight', 'module.bias'])
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise DeviceError(f"DataParallel cannot share a batch out to several devices, got device_ids={device_ids}")
        self.module = module
        self.device_ids: list[Any] = []
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the module's output."""
        return self.module(*inputs, **kwargs)


def data_parallel(module: Module, inputs: Any, *args: Any, module_kwargs: Any = None, **kwargs: Any) -> Any:
    """Return ``module(*inputs)``."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))
