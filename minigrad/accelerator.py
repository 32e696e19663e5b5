"""The accelerator, under the names of ``torch.accelerator``: an NVIDIA GPU with CuPy, or none."""

from __future__ import annotations

from typing import Any

from . import cuda
from .backend import device as Device
from .errors import DeviceError

__all__ = [
    "current_accelerator", "current_device_index", "device_count", "is_available", "set_device_index", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """The number of accelerators."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> Any:
    """Return ``device("cuda")``, or None if there is no accelerator.

    >>> import minigrad as mg
    >>> (current_accelerator() is None) == (not mg.cuda.is_available())
    True
    """
    return Device("cuda") if is_available() else None


def current_device_index() -> int:
    """The index of the accelerator in use."""
    if not is_available():
        raise DeviceError("Cannot access accelerator device when none is available.")
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Use the accelerator with this index from now on."""
    if not is_available():
        raise DeviceError("Cannot access accelerator device when none is available.")
    cuda.set_device(device)


def synchronize(device: Any = None, /) -> None:
    """Wait until all work on the accelerator is done."""
    cuda.synchronize(device)
