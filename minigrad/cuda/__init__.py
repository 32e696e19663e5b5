"""What there is to ask about NVIDIA GPUs, under the names of ``torch.cuda``. All of it also works where there is none.

>>> import minigrad as mg
>>> mg.cuda.is_available() == (mg.cuda.device_count() > 0)
True
"""

from __future__ import annotations

from typing import Any

from ..backend import device as Device
from ..backend import lookup
from ..ops.random.generator import Generator, default_generator
from .streams import Event, Stream, StreamContext, current_stream, default_stream, stream, synchronize

__all__ = [
    "Event", "Stream", "current_device", "current_stream", "default_stream", "device_count", "empty_cache",
    "get_device_capability", "get_device_name", "init", "is_available", "is_bf16_supported", "is_initialized",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "memory_allocated", "memory_reserved",
    "reset_peak_memory_stats", "set_device", "stream", "synchronize",
]  # fmt: skip


def device_count() -> int:
    """How many GPUs can be used."""
    from ..backend import cupy

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


def set_device(device: Any) -> None:
    """Let ``device("cuda")`` mean this GPU; DeviceError without one."""
    number = Device("cuda", device).index if isinstance(device, int) else Device(device).index
    _backend(device).module.cuda.Device(number or 0).use()


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The generation of the GPU, as (major, minor)."""
    properties = _backend(device).module.cuda.runtime.getDeviceProperties(_backend(device).device.index)
    return int(properties["major"]), int(properties["minor"])


def manual_seed_all(seed: int) -> None:
    """Start the generators of all GPUs from `seed`; without a GPU nothing happens."""
    manual_seed(seed)


def is_initialized() -> bool:
    """Whether a GPU is in use."""
    return is_available()


def init() -> None:
    """Make sure that there is a GPU: DeviceError without one."""
    lookup("cuda")


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 can be used on the GPU."""
    return is_available()


def max_memory_allocated(device: Any = None) -> int:
    """At least the most bytes that were in use by tensors at a time: those that are held for them. 0 without a GPU."""
    return memory_reserved(device)


def memory_reserved(device: Any = None) -> int:
    """Bytes that are held for tensors, in use or kept for later; 0 without a GPU."""
    return int(lookup("cuda").module.get_default_memory_pool().total_bytes()) if is_available() else 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Give memory that is kept for later back, so that `max_memory_allocated` begins again."""
    empty_cache()


def __getattr__(name: str) -> Any:
    if name == "_initialized":  # what programs ask that keep the generators' states
        return is_initialized()
    if name == "amp":
        import importlib

        return importlib.import_module(".amp", __name__)
    raise AttributeError(f"module 'minigrad.cuda' has no attribute {name!r}")
