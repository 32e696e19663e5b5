"""Whether the same results are wanted in every run, and what memory holds then that nothing was written to."""

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
    """`array`, new memory, filled with a value that shows where that is wanted: nan, the largest integer, True."""
    if DETERMINISM.algorithms and DETERMINISM.fill:
        kind = array.dtype.kind
        array[...] = np.iinfo(array.dtype).max if kind in "iu" else True if kind == "b" else float("nan")
    return array
