"""Measure how much of a step's time goes into exchanging data with other ranks.

Every step is measured, recorded whole or not.
"""

from __future__ import annotations

from typing import Any

from ...events import CollectiveRan


class Exchanges:
    """The exchanges of the current step.

    >>> exchanges = Exchanges()
    >>> exchanges.add(CollectiveRan("all_reduce", (), 0.25, waited=0.125))
    >>> exchanges.turn()
    {'exchanged': 0.25, 'waited': 0.125}
    >>> exchanges.turn()
    {}
    """

    def __init__(self) -> None:
        self._events = 0
        self._seconds = self._waited = 0.0

    def add(self, event: CollectiveRan) -> None:
        """Count one exchange."""
        self._events += 1
        self._seconds += event.seconds
        self._waited += event.waited

    def turn(self) -> dict[str, Any]:
        """Return the fields for the record that ends the step, and start counting anew.

        Empty if this rank exchanged nothing.
        """
        told = {"exchanged": self._seconds, "waited": self._waited} if self._events else {}
        self._events, self._seconds, self._waited = 0, 0.0, 0.0
        return told
