"""Keys that open the explorer once.

An address that is handed to a browser lands in process arguments, histories and saved notebooks. So it carries a ticket
in place of the token: the first page that shows it gets the cookie, and afterwards it is worth nothing.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

LIFETIME = 600.0
"""Seconds in which a ticket must be used; a browser may be slow to start."""

MOST = 1000
"""The number of unused tickets to keep; the oldest is dropped first."""


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
        """When each unused ticket ends, the oldest first."""

    def issue(self) -> str:
        """A new ticket."""
        if len(self._ends) >= MOST:
            del self._ends[next(iter(self._ends))]
        ticket = secrets.token_urlsafe(24)
        self._ends[ticket] = self._clock() + LIFETIME
        return ticket

    def spend(self, ticket: str) -> bool:
        """Whether it was good. It is not good a second time."""
        return self._ends.pop(ticket, 0.0) > self._clock()
