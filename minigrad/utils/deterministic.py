"""What `use_deterministic_algorithms` does besides: new memory that nothing was written to is filled.

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
    """The module: its one setting is a property, so that assigning to it is noticed."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether ``empty`` and its kin are filled, with nan or the largest integer, in deterministic mode."""
        return DETERMINISM.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: Any) -> None:
        if not isinstance(mode, bool):
            raise ArgumentTypeError(f"expected a bool, but got {type(mode).__name__}")
        DETERMINISM.fill = mode


sys.modules[__name__].__class__ = _Deterministic
