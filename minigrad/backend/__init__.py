"""Array libraries behind one small interface; `lookup` finds the one that serves a device."""

from __future__ import annotations

from .base import Backend
from .device import device
from .registry import CPU, chosen, get_default_device, lookup, register_backend, set_default_device

__all__ = [
    "CPU", "Backend", "chosen", "device", "get_default_device", "lookup", "register_backend", "set_default_device",
]  # fmt: skip
