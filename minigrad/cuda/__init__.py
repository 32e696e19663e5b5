"""Information about NVIDIA GPUs, under the names of ``torch.cuda``. All of it also works where there is none.

>>> import minigrad as mg
>>> mg.cuda.is_available() == (mg.cuda.device_count() > 0)
True
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..backend import device as Device
from ..backend import lookup
from ..core.tensor import Tensor
from ..errors import DeviceError
from ..ops.random.generator import Generator, generator_for
from .kinds import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from .streams import Event, Stream, StreamContext, current_stream, default_stream, stream, synchronize

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "Event", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "OutOfMemoryError", "ShortTensor", "Stream", "StreamContext", "current_device",
    "current_stream", "default_stream", "device", "device_count", "empty_cache", "get_arch_list",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all", "init",
    "initial_seed", "is_available", "is_bf16_supported", "is_initialized", "is_tf32_supported",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_cached", "max_memory_reserved",
    "memory_allocated", "memory_cached", "memory_reserved", "memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_rng_state",
    "set_rng_state_all", "stream", "synchronize",
]  # fmt: skip


def device_count() -> int:
    """The number of usable GPUs."""
    from ..backend import cupy

    return cupy.device_count()


def is_available() -> bool:
    """Whether a GPU can be used: there is one, with a driver, and CuPy is installed."""
    return device_count() > 0


def current_device() -> int:
    """The number of the GPU that ``device("cuda")`` means."""
    return lookup("cuda").device.index or 0


def get_device_name(device: Any = None) -> str:
    """The maker's name for the device."""
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
    return generator_for("cuda").manual_seed(seed) if is_available() else None


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


def is_tf32_supported() -> bool:
    """Whether products of float32 may be rounded to fewer bits on the GPU: never, CuPy computes all of them."""
    return False


def max_memory_allocated(device: Any = None) -> int:
    """At least the most bytes that were in use by tensors at a time: those that are held for them. 0 without a GPU."""
    return memory_reserved(device)


def memory_reserved(device: Any = None) -> int:
    """Bytes that are held for tensors, in use or kept for later; 0 without a GPU."""
    return int(lookup("cuda").module.get_default_memory_pool().total_bytes()) if is_available() else 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Give memory that is kept for later back, so that `max_memory_allocated` begins again."""
    empty_cache()


max_memory_reserved = max_memory_cached = max_memory_allocated
memory_cached = memory_reserved
reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Bytes in use by tensors and bytes held for them; empty without a GPU."""
    if not is_available():
        return OrderedDict()
    return OrderedDict(
        [("allocated_bytes.all.current", memory_allocated(device)), ("reserved_bytes.all.current", memory_reserved())]
    )


def get_device_properties(device: Any = None) -> Any:
    """The GPU's facts: `name`, `major`, `minor`, `total_memory`, `multi_processor_count`. DeviceError without one."""
    import types

    told = _backend("cuda" if device is None else device).module.cuda.runtime.getDeviceProperties(
        _backend(device).device.index
    )
    return types.SimpleNamespace(
        name=told["name"].decode(),
        major=int(told["major"]),
        minor=int(told["minor"]),
        total_memory=int(told["totalGlobalMem"]),
        multi_processor_count=int(told["multiProcessorCount"]),
    )


def get_arch_list() -> list[str]:
    """The generations of GPUs that the library was built for: none, since CuPy compiles for the one at hand."""
    return []


class OutOfMemoryError(DeviceError):
    """The GPU has no memory left, for programs that catch it."""


class device:
    """A context in which ``device("cuda")`` means the GPU of this number; a negative number or None changes nothing."""

    def __init__(self, device: Any) -> None:
        number = device if isinstance(device, int) or device is None else Device(device).index
        self.idx = -1 if number is None else number

    def __enter__(self) -> None:
        if self.idx >= 0:
            self._before = current_device()
            set_device(self.idx)

    def __exit__(self, *exception: Any) -> None:
        if self.idx >= 0:
            set_device(self._before)


# The generator


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of the GPU's generator; DeviceError without one."""
    lookup("cuda")
    return generator_for("cuda").get_state()


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Let the GPU's generator go on from there; without a GPU nothing happens."""
    if is_available():
        generator_for("cuda").set_state(new_state)


def get_rng_state_all() -> list[Tensor]:
    """The states of the generators of all GPUs; there is one generator for all."""
    return [get_rng_state()] if is_available() else []


def set_rng_state_all(new_states: Any) -> None:
    """Let the generators of all GPUs go on from there."""
    for each in new_states:
        set_rng_state(each)


def seed() -> None:
    """Start the GPU's generator from a seed by chance; without a GPU nothing happens."""
    if is_available():
        generator_for("cuda").seed()


def seed_all() -> None:
    """Start the generators of all GPUs from seeds by chance."""
    seed()


def initial_seed() -> int:
    """The seed of the GPU's generator; DeviceError without one."""
    lookup("cuda")
    return generator_for("cuda").initial_seed()


def __getattr__(name: str) -> Any:
    if name == "_initialized":  # what programs ask that keep the generators' states
        return is_initialized()
    if name == "amp":
        import importlib

        return importlib.import_module(".amp", __name__)
    raise AttributeError(f"module 'minigrad.cuda' has no attribute {name!r}")
