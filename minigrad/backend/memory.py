"""Two process-wide settings, for speed: keep freed memory for new arrays, and run the cycle collector less often.

NumPy has no allocator of its own for large arrays. By default glibc maps new memory for every result of some hundred
kilobytes, and the kernel clears its pages one by one on the first write: a tenth of the time of training a small
transformer. Two documented settings of glibc avoid that; with another C library nothing changes.

Python's cycle collector visits all live objects again and again while a graph grows: for a chain of a million ops that
is a quarter of the time. It finds nothing, since a graph has no cycle and is freed when its last reference is gone. So
the collector starts after ten times as many new objects as by default, and visits old objects a tenth as often. Cycles
of other code are still collected, only later. A program that has changed the collector's thresholds keeps its own.

Both change when the first op is recorded, so that a program that only imports minigrad keeps its own settings. The
environment variable ``MINIGRAD_KEEP_MEMORY=0`` switches off both.
"""

from __future__ import annotations

import gc
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from malloc.h
MAPPED_FROM = 32 << 20
"""The size from which an array is still mapped separately: the most that glibc allows."""
KEPT = 512 << 20
"""The free memory at the end of the heap that is kept and not returned to the system."""


USUAL = (700, 2000)
"""Python's default thresholds of new objects that start the collector, by Python version."""
SELDOM = (7000, 10, 100)


def settle() -> None:
    """Change both settings, once. The first op that is recorded calls this."""
    global _settled
    if not _settled:
        _settled = True
        keep_memory()
        collect_seldom()


_settled = False


def collect_seldom() -> bool:
    """Run the cycle collector less often, unless the program has set it. Return whether it was changed."""
    if not allowed() or gc.get_threshold()[0] not in USUAL:
        return False
    gc.set_threshold(*SELDOM)
    return True


def allowed() -> bool:
    """Return whether the user allows changes of process-wide settings."""
    return os.environ.get("MINIGRAD_KEEP_MEMORY") != "0"


def keep_memory() -> bool:
    """Ask glibc to keep freed memory for the next array. Return whether that worked."""
    if not sys.platform.startswith("linux") or not allowed():
        return False
    try:
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, AttributeError, OSError):  # another C library
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, MAPPED_FROM) and mallopt(M_TRIM_THRESHOLD, KEPT))
