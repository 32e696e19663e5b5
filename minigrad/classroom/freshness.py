"""Find the cells of a session whose results may be out of date.

A notebook is misleading if a cell was changed or run again and the cells below it were not. Here a cell's result is
stale as soon as its own text, or that of any cell above it, differs from what it was when the cell ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

State = Literal["new", "fresh", "stale", "failed"]


class Freshness:
    """Remembers which cell ran when, and with which text.

    >>> cells = Freshness()
    >>> cells.ran(0, "x = 1"); cells.ran(1, "print(x)"); cells.edited(0, "x = 2")
    >>> cells.states()
    {0: 'stale', 1: 'stale'}
    """

    def __init__(self) -> None:
        self._clock = 0
        self._ran: dict[int, tuple[int, str, bool]] = {}
        self._now: dict[int, str] = {}

    def ran(self, index: int, source: str, well: bool = True) -> None:
        """Note that the cell was run, and whether it ended well."""
        self._clock += 1
        self._ran[index] = (self._clock, source, well)
        self._now[index] = source

    def edited(self, index: int, source: str) -> None:
        """Note the current text of a cell."""
        self._now[index] = source

    def restarted(self) -> None:
        """Note that the session has a new process, in which nothing has run."""
        self._ran.clear()

    def states(self) -> Mapping[int, State]:
        """The state of each cell that has run or was edited, in their order."""
        return {index: self._state(index) for index in sorted({*self._ran, *self._now})}

    def _state(self, index: int) -> State:
        if index not in self._ran:
            return "new"
        when, source, well = self._ran[index]
        above = [other for other in {*self._ran, *self._now} if other < index]
        changed = any(other not in self._ran or self._differs(other) or self._ran[other][0] > when for other in above)
        if changed or source != self._now[index]:
            return "stale"
        return "fresh" if well else "failed"

    def _differs(self, index: int) -> bool:
        return self._ran[index][1] != self._now[index]
