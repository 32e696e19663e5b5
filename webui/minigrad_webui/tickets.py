"""Keys that open the explorer once.

An address given to a browser also appears in process arguments, histories and saved notebooks. So it has a ticket
in place of the token: the first page that shows it gets the cookie, and then the ticket is invalid.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

LIFETIME = 600.0
"""Seconds in which a ticket must be used; a browser may be slow to start."""

MOST = 1000
"""How many unused tickets to keep. The oldest is dropped first."""


class Tickets:
    """The tickets of one server. They end with it.

    >>> tickets = Tickets()
    >>> ticket = tickets.issue()
    >>> tickets.spend(ticket), tickets.spend(ticket)
    (True, False)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}
        """For each unused ticket, when it expires, the oldest first."""

    def issue(self) -> str:
        """A new ticket."""
        if len(self._ends) >= MOST:
            del self._ends[next(iter(self._ends))]
        ticket = secrets.token_urlsafe(24)
        self._ends[ticket] = self._clock() + LIFETIME
        return ticket

    def spend(self, ticket: str) -> bool:
        """Whether the ticket is valid. It is invalid afterwards."""
        return self._ends.pop(ticket, 0.0) > self._clock()
