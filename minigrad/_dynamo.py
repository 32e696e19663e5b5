"""The names of ``torch._dynamo`` that libraries import. minigrad has no compiler, so they have no effect."""

from __future__ import annotations

import types
from typing import Any

from .compiler import allow_in_graph, disable, is_compiling, reset

__all__ = ["allow_in_graph", "config", "disable", "is_compiling", "optimize", "reset"]

config = types.SimpleNamespace(suppress_errors=False, cache_size_limit=8, verbose=False)
"""Settings that are stored, without effect."""


def optimize(*args: Any, **kwargs: Any) -> Any:
    """Return a decorator that changes nothing."""
    return lambda function: function
