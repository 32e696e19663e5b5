"""Multi-head attention: the function and the module."""

from __future__ import annotations

from .backends import SDPBackend, sdpa_kernel

__all__ = ["SDPBackend", "sdpa_kernel"]
