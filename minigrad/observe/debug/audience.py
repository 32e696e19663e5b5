"""The audience of a paused program: a user at the terminal, viewers of the explorer, or no one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any, Literal, Protocol

from .terminal import Terminal

GRACE_VARIABLE = "MINIGRAD_PAUSE_GRACE"

GRACE = 10.0
"""How many seconds a paused program waits after the last user who could continue it has gone. MINIGRAD_PAUSE_GRACE sets
another number; 0 means not to wait."""

FIRST_GRACE = 60.0
"""The same time while no user has come yet: a user may be about to open the page."""


class Publisher(Protocol):
    """The debugger's view of the explorer's `Publisher`."""

    audience: int
    """The number of viewers of this run in the explorer, as far as is known; 0 where there is no connection."""
    control: Callable[[dict[str, Any]], None] | None
    """Called, in a thread of its own, with each `Control` message of a viewer."""


class Presence:
    """Find out whether a user can continue the program, and for how long there has been none.

    >>> Presence(None, grace=0).hopeless(False)
    'at once'
    """

    def __init__(self, terminal: Terminal | None, grace: float | None = None) -> None:
        self.publishers: list[Publisher] = []
        self.welcomed = False
        """Whether a viewer has ever been connected."""
        self._terminal = terminal
        self._grace = _seconds(os.environ.get(GRACE_VARIABLE)) if grace is None else grace
        self._deserted = False
        self._left: float | None = None

    def anybody(self) -> bool:
        """Whether a user who could continue the program is there now."""
        at_terminal = self._terminal is not None and self._terminal.present
        there = at_terminal or any(each.audience for each in self.publishers)
        self.welcomed = self.welcomed or there
        return there

    def hopeless(self, answered: bool) -> Literal["at once", "still", ""]:
        """Whether not to pause: no user could ever come, or none has come back since the program went on by itself.

        `answered` says that a function decides how to continue.
        """
        self._left = None
        if answered or self.anybody():
            self._deserted = False
        elif not self._deserted and not self.publishers:
            self._deserted = True
            return "at once"
        return "still" if self._deserted else ""

    def over(self) -> bool:
        """Whether no user has been there for so long that the program must go on by itself."""
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
    """The seconds to wait that the environment variable sets."""
    try:
        return max(0.0, float(text)) if text else GRACE
    except ValueError:
        return GRACE
