"""What there is to ask about NVIDIA GPUs, under the names of ``torch.cuda``. All of it also works where there is none.

>>> import minigrad as mg
>>> mg.cuda.is_available() == (mg.cuda.device_count() > 0)
True
"""

from __future__ import annotations

from typing import Any

from .backend import device as Device
from .backend import lookup
from .ops.random.generator import Generator, default_generator

__all__ = [
    "current_device", "device_count", "empty_cache", "get_device_name", "is_available", "manual_seed",
    "memory_allocated", "synchronize",
]  # fmt: skip


def device_count() -> int:
    """How many GPUs can be used."""
    from .backend import cupy

    return cupy.device_count()


def is_available() -> bool:
    """Whether a GPU can be used: there is one, with a driver, and CuPy is installed."""
    return device_count() > 0


def current_device() -> int:
    """The number of the GPU that ``device("cuda")`` means."""
    return lookup("cuda").device.index or 0


def get_device_name(device: Any = None) -> str:
    """What the maker calls it."""
    properties = _backend(device).module.cuda.runtime.getDeviceProperties(_backend(device).device.index)
    return str(properties["name"].decode())


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has computed everything asked of it; without a GPU there is nothing to wait for."""
    if is_available():
        _backend(device).synchronize()


def memory_allocated(device: Any = None) -> int:
    """Bytes in use by tensors on the GPU; 0 without one."""
    return _backend(device).memory_allocated() if is_available() else 0


def empty_cache() -> None:
    """Give memory that is kept for later back to the GPU."""
    if is_available():
        lookup("cuda").module.get_default_memory_pool().free_all_blocks()


def manual_seed(seed: int) -> Generator | None:
    """Start the GPU's generator from `seed`; without a GPU nothing happens, as in PyTorch."""
    return default_generator("cuda").manual_seed(seed) if is_available() else None


def _backend(device: Any) -> Any:
    return lookup("cuda" if device is None else Device("cuda", device) if isinstance(device, int) else device)
