"""An option of `use_deterministic_algorithms`: whether new, uninitialised memory is filled.

>>> import minigrad as mg
>>> mg.use_deterministic_algorithms(True)
>>> mg.empty(2)
tensor([nan, nan])
>>> mg.utils.deterministic.fill_uninitialized_memory = False
>>> mg.use_deterministic_algorithms(False)
>>> mg.utils.deterministic.fill_uninitialized_memory = True
"""

from __future__ import annotations

import sys
import types
from typing import Any

from ..backend.determinism import DETERMINISM
from ..errors import ArgumentTypeError


class _Deterministic(types.ModuleType):
    """The class of this module: its one setting is a property, so that assignments take effect."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether deterministic mode fills the memory of ``empty`` and the like, with NaN or the largest integer."""
        return DETERMINISM.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: Any) -> None:
        if not isinstance(mode, bool):
            raise ArgumentTypeError(f"expected a bool, but got {type(mode).__name__}")
        DETERMINISM.fill = mode


sys.modules[__name__].__class__ = _Deterministic
