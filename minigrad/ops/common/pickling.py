"""Pickled functions: pickle stores a function's name, and must find the same function under it."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F")


def findable(function: F, module: str, name: str) -> F:
    """Set the pickle name of `function` to ``module.name``, unless it can be found where it is defined; return it."""
    if isinstance(function, FunctionType):
        written: Any = sys.modules.get(function.__module__)
        if getattr(written, function.__qualname__, None) is not function:
            function.__module__, function.__qualname__ = module, name
    return function
