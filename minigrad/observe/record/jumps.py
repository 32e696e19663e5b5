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
        self._known: dict[int | None, tuple[Recent, Recent]] = {}
        """The losses and the norms of each optimiser."""
        self._told: set[str] = set()

    def look(self, who: int | None, loss: float | None, norm: float | None) -> Jump | None:
        """The jump in the step of the optimiser `who`, or None. Of each kind only the first is returned."""
        if who not in self._known:
            self._known[who] = Recent(), Recent()
        losses, norms = self._known[who]
        found = _loss(losses, loss) or _norm(norms, norm)
        for known, number in ((losses, loss), (norms, norm)):
            if number is not None and math.isfinite(number):
                known.add(number)
        if found is None or found.kind in self._told:
            return None
        self._told.add(found.kind)
        return found


class Recent:
    """The last numbers, with what is needed to see at once that a number is as usual.

    >>> recent = Recent()
    >>> for number in (3.0, -4.0, 1.0):
    ...     recent.add(number)
    >>> len(recent.numbers), recent.last, recent.largest, recent.peak
    (3, 1.0, 4.0, 4.0)
    """

    def __init__(self) -> None:
        self.numbers: deque[float] = deque(maxlen=REMEMBERED)
        self.last = 0.0
        """The absolute value of the last number."""
        self.peak = 0.0
        """The largest absolute value there has ever been."""

    def add(self, number: float) -> None:
        """Remember a number; forget the oldest if there are too many."""
        self.numbers.append(number)
        self.last = abs(number)
        self.peak = max(self.peak, self.last)

    @property
    def largest(self) -> float:
        """The largest absolute value among the numbers."""
        return max(map(abs, self.numbers))


def _loss(before: Recent, loss: float | None) -> Jump | None:
    count = len(before.numbers)
    if loss is None or count < FEWEST or loss < JUMP * before.last or not math.isfinite(loss):
        return None  # the usual case
    largest = before.largest
    if not largest or loss < JUMP * largest:
        return None
    return Jump("loss", f"The loss jumped to {loss:.4g}: the largest of the {count} steps before was {largest:.4g}.")


def _norm(before: Recent, norm: float | None) -> Jump | None:
    count = len(before.numbers)
    if norm is None or count < FEWEST or VANISHED * before.peak <= norm <= JUMP * before.last:
        return None  # the usual case
    if norm == 0.0 or not math.isfinite(norm):
        return None
    usual = median(before.numbers)
    if usual and norm > EXPLODED * usual and norm > JUMP * before.largest:
        what = "exploded"
    elif norm < VANISHED * usual:
        what = "vanished"
    else:
        return None
    told = f"its norm is {norm:.3g}, and was {usual:.3g} in the middle of {count} steps"
    return Jump(what, f"The gradient {what}: {told}.")
