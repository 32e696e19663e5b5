"""``torch.cpu``, ``torch.mps`` and ``torch.xpu``: functions that programs call to choose a device.

minigrad supports no Apple or Intel GPUs, and the CPU runs synchronously; the functions answer accordingly.
"""

from __future__ import annotations

import types
from typing import Any

from .errors import DeviceError

__all__ = ["cpu", "mps", "xpu"]


class _Kind(types.ModuleType):
    """One type of device, with `count` devices."""

    def __init__(self, name: str, whose: str, count: int) -> None:
        super().__init__(f"minigrad.{name}", f"Devices of the kind {name!r}: {count}.")
        self._whose, self._count = whose, count

    def is_available(self) -> bool:
        """Whether there is a device of this kind."""
        return self._count > 0

    def device_count(self) -> int:
        """The number of devices."""
        return self._count

    def manual_seed(self, seed: int) -> None:
        """Do nothing: no random numbers are drawn there."""

    manual_seed_all = manual_seed

    def empty_cache(self) -> None:
        """Do nothing: no memory is kept."""

    def synchronize(self, device: Any = None) -> None:
        """Return at once for the CPU; DeviceError for a device that does not exist."""
        self._needed()

    def current_device(self) -> str:
        """The index of the device in use; DeviceError if there is none."""
        self._needed()
        return "cpu"

    def memory_allocated(self, device: Any = None) -> int:
        """Return 0: no memory is allocated there."""
        return 0

    current_allocated_memory = driver_allocated_memory = max_memory_allocated = memory_reserved = memory_allocated

    def _needed(self) -> None:
        if not self._count:
            raise DeviceError(
                f"minigrad computes on the CPU and on NVIDIA GPUs, not on {self._whose}: "
                f"ask {self.__name__}.is_available() first"
            )


cpu = _Kind("cpu", "the CPU", 1)
mps = _Kind("mps", "Apple's GPUs", 0)
xpu = _Kind("xpu", "Intel's GPUs", 0)
