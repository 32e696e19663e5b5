"""Array libraries behind one small interface; `lookup` finds the one that serves a device."""

from __future__ import annotations

from .base import Backend, lookup, register_backend
from .device import device
from .numpy import NumpyBackend


def _cuda(index: int | None) -> Backend:
    from .cupy import CupyBackend

    return CupyBackend(index)


register_backend("cpu", NumpyBackend)
register_backend("cuda", _cuda)

CPU = lookup("cpu")
"""The backend that everything starts on."""

__all__ = ["CPU", "Backend", "device", "lookup", "register_backend"]
