"""The number of threads that NumPy's matrix products use."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..errors import DomainError

NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Return the OpenBLAS library in NumPy's wheel, or None if NumPy uses another library."""
    root = Path(np.__file__).parent
    folders = (root.parent / "numpy.libs", root / ".dylibs")
    file = next((file for folder in folders for file in folder.glob("*openblas*")), None)
    try:
        return None if file is None else ctypes.CDLL(str(file))
    except OSError:
        return None


def _function(verb: str) -> Callable[..., int] | None:
    library = _library()
    return next((getattr(library, name.format(verb)) for name in NAMES if hasattr(library, name.format(verb))), None)


def get_num_threads() -> int:
    """Return the number of threads of a matrix product."""
    ask = _function("get")
    return int(ask()) if ask else int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


def set_num_threads(int: int) -> None:
    """Set the number of threads of matrix products. Without NumPy's own OpenBLAS this has no effect."""
    if isinstance(int, bool) or not hasattr(int, "__index__"):
        raise TypeError(f"set_num_threads expects an int, but got {type(int).__name__}")
    if int <= 0:
        raise DomainError("set_num_threads expects a positive integer")
    change = _function("set")
    if change:
        change(int.__index__())
