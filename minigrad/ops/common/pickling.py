"""Pickled functions: pickle keeps the name of a function, and must find that very function under it."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F")


def findable(function: F, module: str, name: str) -> F:
    """`function`, which from now on says that it is ``module.name``, unless it can be found where it was written."""
    if isinstance(function, FunctionType):
        written: Any = sys.modules.get(function.__module__)
        if getattr(written, function.__qualname__, None) is not function:
            function.__module__, function.__qualname__ = module, name
    return function
