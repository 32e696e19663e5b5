"""Find steps that differ from those before them: the loss jumps, or the gradient explodes or vanishes.

The thresholds are far above what training does by itself: an alarm on a correct program is worse than none.
"""

from __future__ import annotations

import math
from collections import deque
from statistics import median
from typing import NamedTuple

REMEMBERED = 50
"""How many earlier steps a step is compared with."""

FEWEST = 10
"""Look for jumps once this many steps are known."""

JUMP = 10.0
"""The loss has jumped if it is this many times the largest loss of the steps before."""

EXPLODED, VANISHED = 1e3, 1e-6
"""A gradient has exploded, or vanished, if its norm is this many times the median norm of the steps before."""


class Jump(NamedTuple):
    """A jump: its kind ("loss", "exploded" or "vanished") and a sentence about it."""

    kind: str
    message: str


class Jumps:
    """Compare each step with those before it, separately for each optimiser.

    >>> jumps = Jumps()
    >>> [jumps.look(None, 1.0, 2.0) for _ in range(10)][-1]
    >>> print(jumps.look(None, 50.0, 2.0).message)
    The loss jumped to 50: the largest of the 10 steps before was 1.
    """

    def __init__(self) -> None:
        self._losses: dict[int | None, deque[float]] = {}
        self._norms: dict[int | None, deque[float]] = {}
        self._told: set[str] = set()

    def look(self, who: int | None, loss: float | None, norm: float | None) -> Jump | None:
        """The jump in the step of the optimiser `who`, or None. Of each kind only the first is returned."""
        losses = self._losses.setdefault(who, deque(maxlen=REMEMBERED))
        norms = self._norms.setdefault(who, deque(maxlen=REMEMBERED))
        found = _loss(losses, loss) or _norm(norms, norm)
        for known, number in ((losses, loss), (norms, norm)):
            if number is not None and math.isfinite(number):
                known.append(number)
        if found is None or found.kind in self._told:
            return None
        self._told.add(found.kind)
        return found


def _loss(before: deque[float], loss: float | None) -> Jump | None:
    if loss is None or not math.isfinite(loss) or len(before) < FEWEST:
        return None
    largest = max(map(abs, before))
    if not largest or loss < JUMP * largest:
        return None
    return Jump(
        "loss", f"The loss jumped to {loss:.4g}: the largest of the {len(before)} steps before was {largest:.4g}."
    )


def _norm(before: deque[float], norm: float | None) -> Jump | None:
    if norm is None or not math.isfinite(norm) or norm == 0.0 or len(before) < FEWEST:
        return None
    largest = max(before)
    if VANISHED * largest <= norm <= JUMP * largest:  # the usual case, without computing the median
        return None
    usual = median(before)
    if usual and norm > EXPLODED * usual and norm > JUMP * largest:
        what = "exploded"
    elif norm < VANISHED * usual:
        what = "vanished"
    else:
        return None
    return Jump(
        what, f"The gradient {what}: its norm is {norm:.3g}, and was {usual:.3g} in the middle of {len(before)} steps."
    )
