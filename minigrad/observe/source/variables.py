"""Read the variables of a running function without keeping them alive, and attributes without computing any."""

from __future__ import annotations

import sys
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

KEPT = sys.version_info < (3, 13)
"""Whether a frame keeps the dictionary that `f_locals` fills, including variables that the function has deleted since.
"""

OURS_ALONE = 3
"""The number of references to that dictionary if only these exist: the frame's, the variable's here, the argument's."""


def local_variables(frame: FrameType) -> dict[str, Any]:
    """The local variables of the code in `frame`; of a module, its globals themselves.

    Before Python 3.13 the frame keeps the dictionary, so a tensor would outlive its ``del``: it is emptied. But not
    if the program has it too, from ``locals()``, nor if a debugger or profiler may be active, which writes it
    back into the function: only the current thread's hooks are known.
    """
    held = frame.f_locals
    if not KEPT or not frame.f_code.co_flags & CO_OPTIMIZED:
        return held
    copied = dict(held)
    hooked = sys.gettrace() is not None or sys.getprofile() is not None
    if not hooked and sys.getrefcount(held) == OURS_ALONE and _is_at_work_here(frame):
        held.clear()
    return copied


def attributes_of(thing: Any) -> dict[str, Any]:
    """The attributes that an object keeps; it runs no code of the user's."""
    try:
        kept = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return kept if type(kept) is dict else {}


def _is_at_work_here(frame: FrameType) -> bool:
    """Whether `frame` belongs to the current thread."""
    here: FrameType | None = sys._getframe(1)
    while here is not None and here is not frame:
        here = here.f_back
    return here is not None
