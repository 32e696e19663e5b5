"""The variables of a function that is at work, read without keeping them alive."""

from __future__ import annotations

import sys
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

KEPT = sys.version_info < (3, 13)
"""Whether a frame keeps the dictionary that `f_locals` fills, and with it what the function has deleted since."""

OURS_ALONE = 3
"""References to that dictionary where nobody else has it: the frame's, the variable's here, the argument's."""


def local_variables(frame: FrameType) -> dict[str, Any]:
    """The local variables of the code in `frame`; of a module, its globals themselves.

    Before Python 3.13 the dictionary stays with the frame, so a tensor would outlive its ``del``: it is emptied. Not
    where the program has it too, by ``locals()``, nor under a debugger, which writes it back into the function.
    """
    held = frame.f_locals
    if not KEPT or not frame.f_code.co_flags & CO_OPTIMIZED:
        return held
    copied = dict(held)
    if sys.gettrace() is None and sys.getrefcount(held) == OURS_ALONE:
        held.clear()
    return copied
