"""Deterministic mode: whether every run must give the same results, and how uninitialised memory is filled then."""

from __future__ import annotations

from typing import Any

import numpy as np


class Determinism:
    """The settings of `use_deterministic_algorithms` and `utils.deterministic`."""

    algorithms = False
    warn_only = False
    fill = True


DETERMINISM = Determinism()


def unwritten(array: Any) -> Any:
    """Return the new memory `array`; in deterministic mode, filled with NaN, the largest integer or True."""
    if DETERMINISM.algorithms and DETERMINISM.fill:
        kind = array.dtype.kind
        array[...] = np.iinfo(array.dtype).max if kind in "iu" else True if kind == "b" else float("nan")
    return array
