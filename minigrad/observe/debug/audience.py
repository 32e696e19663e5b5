"""The audience that could continue a paused program: a user at the terminal, viewers of the explorer, or no one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any, Literal, Protocol

from .terminal import Terminal

GRACE_VARIABLE = "MINIGRAD_PAUSE_GRACE"

GRACE = 10.0
"""Seconds for which a held program waits after the last who could continue it has gone; MINIGRAD_PAUSE_GRACE says
another number, and 0 to wait for nobody."""

FIRST_GRACE = 60.0
"""The same while nobody has come yet: somebody may be about to open the page."""


class Publisher(Protocol):
    """The debugger's view of the explorer's `Publisher`."""

    audience: int
    """The number of viewers of this run in the explorer, as far as is known; 0 where there is no connection."""
    control: Callable[[dict[str, Any]], None] | None
    """Is called, in a thread of its own, with what a viewer asks for."""


class Presence:
    """Looks who is there, and how long nobody has been.

    >>> Presence(None, grace=0).hopeless(False)
    'at once'
    """

    def __init__(self, terminal: Terminal | None, grace: float | None = None) -> None:
        self.publishers: list[Publisher] = []
        self.welcomed = False
        """Whether a viewer has ever been there."""
        self._terminal = terminal
        self._grace = _seconds(os.environ.get(GRACE_VARIABLE)) if grace is None else grace
        self._deserted = False
        self._left: float | None = None

    def anybody(self) -> bool:
        """Whether there is anyone who could continue the program now."""
        at_terminal = self._terminal is not None and self._terminal.present
        there = at_terminal or any(each.audience for each in self.publishers)
        self.welcomed = self.welcomed or there
        return there

    def hopeless(self, answered: bool) -> Literal["at once", "still", ""]:
        """Whether not to stop: nobody could ever come, or nobody has come back since the program went on by itself.

        `answered`: there is a function that continues it.
        """
        self._left = None
        if answered or self.anybody():
            self._deserted = False
        elif not self._deserted and not self.publishers:
            self._deserted = True
            return "at once"
        return "still" if self._deserted else ""

    def over(self) -> bool:
        """Whether nobody has been there for so long that the program is to go on by itself."""
        if not threading.main_thread().is_alive():
            return True
        if self.anybody():
            self._left = None
            return False
        now = monotonic()
        self._left = now if self._left is None else self._left
        first = max(FIRST_GRACE, self._grace) if self._grace else 0.0
        self._deserted = now >= self._left + (self._grace if self.welcomed else first)
        return self._deserted


def _seconds(text: str | None) -> float:
    """The grace that the environment asks for."""
    try:
        return max(0.0, float(text)) if text else GRACE
    except ValueError:
        return GRACE
