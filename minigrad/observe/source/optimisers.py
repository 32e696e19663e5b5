"""Find an optimiser that the program has made, before it has taken a step."""

from __future__ import annotations

from itertools import islice
from types import FrameType
from typing import Any

from .callsites import users_frame
from .naming import FRAMES, MOST, variables_of
from .variables import attributes_of


def knows_optimiser(frame: FrameType | None) -> bool:
    """Whether a variable of the user's code in `frame`, or an attribute of one, is an optimiser."""
    for _ in range(FRAMES):
        frame = users_frame(frame)
        if frame is None:
            break
        for _, value in variables_of(frame):
            if _is_optimiser(value) or any(map(_is_optimiser, islice(tuple(attributes_of(value).values()), MOST))):
                return True
        frame = frame.f_back
    return False


def _is_optimiser(value: Any) -> bool:
    return hasattr(type(value), "zero_grad") and hasattr(type(value), "add_param_group")
