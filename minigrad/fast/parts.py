"""A routine run by as many threads as `set_num_threads` says, each on its part of the arrays.

The routines let go of Python's lock, so ordinary threads serve. Numba's own must not be used: they survive neither a
fork, as a DataLoader makes for its workers, nor calls from two threads at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from ..backend.threads import get_num_threads

WORTHWHILE = 1 << 17
"""Parts are given to other threads from this many elements on: to hand one over takes some 30 microseconds."""


class _Pool:
    threads: ThreadPoolExecutor | None = None


def _forget() -> None:
    """A forked process has none of the threads."""
    _Pool.threads = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def in_parts(routine: Callable[..., None], *arrays: Any, numbers: tuple[Any, ...] = ()) -> None:
    """``routine(*parts, *numbers)`` on equal parts of the flat arrays, side by side where that is worthwhile."""
    flat = [each.reshape(-1) for each in arrays]
    size = flat[0].size
    many = min(get_num_threads(), size // WORTHWHILE + 1) if size >= WORTHWHILE else 1
    if many == 1:
        routine(*flat, *numbers)
        return
    if _Pool.threads is None:
        _Pool.threads = ThreadPoolExecutor(os.cpu_count(), "minigrad-fast")
    bounds = [size * i // many for i in range(many + 1)]
    parts = [[each[a:b] for each in flat] for a, b in pairwise(bounds)]
    waiting = [_Pool.threads.submit(routine, *part, *numbers) for part in parts[1:]]
    routine(*parts[0], *numbers)
    for each in waiting:
        each.result()
