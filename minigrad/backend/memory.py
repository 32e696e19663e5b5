"""Two settings of the whole process, for speed: memory of large arrays is kept, and the cycle collector looks seldom.

NumPy has no allocator of its own for large arrays. With glibc's first settings every result of some hundred
kilobytes is mapped anew, and its pages are cleared one by one by the kernel when they are first written to: a tenth of
the time of training a small transformer. Two of glibc's documented settings change that; elsewhere nothing happens.

Python's collector of cycles looks at every object that lives, again and again while a graph grows: of a chain of a
million ops that is a quarter of the time, and it finds nothing, since a graph is no cycle and is freed as soon as it is
let go. So the collector begins after ten times as many new objects as Python's own setting says, and looks at the old
ones a tenth as often. What other code leaves in cycles is found as surely, only later. Whoever has set the collector
before that keeps the setting.

Both change when the first op is recorded, so that a program that only imports minigrad keeps its own settings. The
environment variable ``MINIGRAD_KEEP_MEMORY=0`` leaves both alone for good.
"""

from __future__ import annotations

import gc
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # from malloc.h
MAPPED_FROM = 32 << 20
"""Arrays from this size on are still mapped by themselves: the most that glibc allows."""
KEPT = 512 << 20
"""The free memory at the end of the heap that is kept before it is given back."""


USUAL = (700, 2000)
"""The number of new objects that start Python's collector, for each Python version."""
SELDOM = (7000, 10, 100)


def settle() -> None:
    """Change both settings, once: the first op that is recorded asks for it."""
    global _settled
    if not _settled:
        _settled = True
        keep_memory()
        collect_seldom()


_settled = False


def collect_seldom() -> bool:
    """Let the collector of cycles look less often, where its setting is Python's own; whether it was."""
    if not allowed() or gc.get_threshold()[0] not in USUAL:
        return False
    gc.set_threshold(*SELDOM)
    return True


def allowed() -> bool:
    """Whether the user lets us change settings of the process."""
    return os.environ.get("MINIGRAD_KEEP_MEMORY") != "0"


def keep_memory() -> bool:
    """Ask glibc to keep freed memory for the next array; whether it agreed."""
    if not sys.platform.startswith("linux") or not allowed():
        return False
    try:
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, AttributeError, OSError):  # another C library
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, MAPPED_FROM) and mallopt(M_TRIM_THRESHOLD, KEPT))
