"""Compiled routines, offered by plug-ins, for work that takes NumPy several passes.

A plug-in has an entry point in the group ``minigrad.routines``: a function without arguments that returns its routines
in a dictionary. It is called when an op first has enough work for a routine; a plug-in that cannot be imported is
skipped. `minigrad.fast` is such a plug-in. ``MINIGRAD_FAST=0`` skips all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

ENOUGH = 1 << 14
"""The number of elements from which compiled routines are used: small nets of lessons never wait for a compiler."""


def routine(name: str, arrays: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Return the routine of this name, if it exists and all of `arrays` are float32 and contiguous; else None."""
    if not all(each.dtype == "float32" and each.flags.c_contiguous for each in arrays):
        return None
    return offered().get(name)


@cache
def offered() -> dict[str, Callable[..., Any]]:
    """Return all routines of all installed plug-ins."""
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    found: dict[str, Callable[..., Any]] = {}
    if os.environ.get("MINIGRAD_FAST", "") == "0":
        return found
    for point in entry_points(group="minigrad.routines"):
        with suppress(ImportError):  # a dependency of the plug-in is not installed
            found.update(point.load()())
    return found
