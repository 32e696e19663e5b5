"""Letting the C library keep the memory of large arrays instead of handing it back to the system every time.

NumPy has no allocator of its own for large arrays. With glibc's first settings every result of some hundred
kilobytes is mapped anew, and its pages are cleared one by one by the kernel when they are first written to: a tenth of
the time of training a small transformer. Two of glibc's documented settings change that, for the whole process. The
environment variable ``MINIGRAD_KEEP_MEMORY=0`` leaves them alone; elsewhere than on glibc nothing happens.
"""

from __future__ import annotations

import ctypes
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from malloc.h
MAPPED_FROM = 32 << 20
"""Arrays from this size on are still mapped by themselves: the most that glibc allows."""
KEPT = 512 << 20
"""How much free memory at the end of the heap is kept before it is handed back."""


def keep_memory() -> bool:
    """Ask glibc to keep freed memory for the next array; whether it agreed."""
    if not sys.platform.startswith("linux") or os.environ.get("MINIGRAD_KEEP_MEMORY") == "0":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, MAPPED_FROM) and mallopt(M_TRIM_THRESHOLD, KEPT))
