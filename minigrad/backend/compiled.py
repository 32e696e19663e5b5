"""Compiled routines that a plug-in offers for what NumPy takes many passes for.

A plug-in names, by an entry point in the group ``minigrad.routines``, a function without arguments that returns its
routines in a dictionary. It is asked when an op first has enough work for a routine; one that cannot be imported is
left out. `minigrad.fast` is such a plug-in. ``MINIGRAD_FAST=0`` leaves all of them out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

ENOUGH = 1 << 14
"""Compiled routines are used from this many elements on, so that a lesson's small nets never wait for a compiler."""


def routine(name: str, arrays: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The routine of this name, if there is one, and all of `arrays` are float32, row by row."""
    if not all(each.dtype == "float32" and each.flags.c_contiguous for each in arrays):
        return None
    return offered().get(name)


@cache
def offered() -> dict[str, Callable[..., Any]]:
    """All routines of all plug-ins that are installed."""
    from importlib.metadata import entry_points  # not needed until then, and slow to import

    found: dict[str, Callable[..., Any]] = {}
    if os.environ.get("MINIGRAD_FAST", "") == "0":
        return found
    for point in entry_points(group="minigrad.routines"):
        with suppress(ImportError):  # what it needs is not installed
            found.update(point.load()())
    return found
