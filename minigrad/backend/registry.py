"""Find the backend of a device.

Third parties add one by an entry point in the group ``minigrad.backends``: its name is the device type, its value a
function ``(index) -> Backend``, which is imported when a tensor is first created on that device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DeviceError
from .base import Backend
from .device import CHOICE, device
from .numpy import NumpyBackend


def _cuda(index: int | None) -> Backend:
    from .cupy import CupyBackend

    return CupyBackend(index)


def _meta(index: int | None) -> Backend:
    from .meta import MetaBackend

    return MetaBackend(index)


_makers: dict[str, Callable[[int | None], Backend]] = {"cpu": NumpyBackend, "cuda": _cuda, "meta": _meta}
_made: dict[tuple[str, int | None], Backend] = {}


def register_backend(type: str, maker: Callable[[int | None], Backend]) -> None:
    """Register `maker` for the device type `type`; it is called once for each index."""
    _makers[type] = maker


def lookup(where: Any) -> Backend:
    """Return the backend of a device. DeviceError, with advice, if there is none."""
    where = where if isinstance(where, device) else device(where)
    key = (where.type, where.index)
    backend = _made.get(key)
    if backend is None:
        backend = _made[key] = _maker(where.type)(where.index)
        _made.setdefault((backend.device.type, backend.device.index), backend)
        backend = _made[key] = _made[(backend.device.type, backend.device.index)]
    return backend


def _maker(type: str) -> Callable[[int | None], Backend]:
    if type not in _makers:
        from importlib.metadata import entry_points  # slow to import, and rarely needed

        points = {point.name: point for point in entry_points(group="minigrad.backends")}
        if type not in points:
            known = ", ".join(sorted({*_makers, *points}))
            raise DeviceError(
                f"No backend for device {type!r}; there are: {known}. "
                f"A package can add one by the entry point group 'minigrad.backends'."
            )
        _makers[type] = points[type].load()
    return _makers[type]


# The default device ---------------------------------------------------------------------------------------------------

CPU = lookup("cpu")
"""The backend of the CPU, the default device."""


def chosen(where: Any) -> Backend:
    """Return the backend of a device; of the default device for None."""
    if where is None:
        where = CHOICE.device
    return CPU if where is None else lookup(where)


def get_default_device() -> device:
    """Return the device of new tensors for which no device is named.

    >>> get_default_device()
    device(type='cpu')
    """
    return chosen(None).device


def set_default_device(device: Any) -> None:
    """Create new tensors on `device` by default, in this thread; None sets the CPU.

    ``with mg.device("cuda"):`` does so for a block. Tensors that share memory with NumPy, as from ``from_numpy``, stay
    on the CPU. DeviceError if the device does not exist.

    >>> set_default_device("cpu")
    """
    CHOICE.device = None if device is None else lookup(device).device
