"""Wait for other ranks: sleep between checks, report after a while what is missing, and time out.

A rank that waits for long tells all others on the notice board, and so does a rank that leaves the program. So the
error after a timeout names the missing ranks.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from copy import copy

import numpy as np

from ..errors import DistributedError
from .transport import ANY, Request, Transport

PATIENCE = 60.0
"""Seconds until waiting ends with an error, unless `init_process_group` sets another timeout."""
NOTICE = 10.0
"""Seconds until a rank reports what it waits for; half of the timeout, if that is less."""
EAGER_TRIES = 100
"""How many times to check before the first sleep: exchanges that are nearly finished complete meanwhile."""
LOOK_AROUND = 0.2
"""Seconds between two readings of the notice board."""

WAITS, LEFT = 1, 2
TAG = 7


class NoticeBoard:
    """Messages between ranks besides their exchanges: that a rank waits, or has left."""

    def __init__(self, transport: Transport, patience: float = PATIENCE) -> None:
        self._transport = transport
        self._outgoing: list[Request] = []
        self.patience = patience
        self.calls: dict[int, int] = {}
        """For each group, how many calls this rank has made."""
        self.left: dict[int, dict[int, int]] = {}
        """For each rank that has left the program, the calls that it had made."""
        self.waiting: dict[int, str] = {}

    @property
    def who(self) -> str:
        """The name of this rank in messages."""
        return f"rank {self._transport.rank} of {self._transport.size}"

    def with_patience(self, patience: float) -> NoticeBoard:
        """A copy of the board with another timeout."""
        made = copy(self)
        made.patience = patience
        return made

    def tell(self, kind: int, text: str) -> None:
        """Send a note to all other ranks."""
        note = np.zeros(256, "uint8")
        said = text.encode()[:255]
        note[0] = kind
        note[1 : 1 + len(said)] = list(said)
        for rank in range(self._transport.size):
            if rank != self._transport.rank:
                self._outgoing.append(self._transport.send(note, rank, TAG))

    def read(self) -> None:
        """Read the notes of the other ranks."""
        while self._transport.waiting(TAG):
            note = np.empty(256, "uint8")
            request = self._transport.receive(note, ANY, TAG)
            while not request.done():
                time.sleep(0)
            text = bytes(note[1:]).rstrip(b"\0").decode(errors="replace")
            if note[0] == LEFT:
                self.left[request.source] = dict(map(int, call.split(":")) for call in text.split())  # type: ignore[misc]
            else:
                self.waiting[request.source] = text

    def wait(
        self,
        done: Callable[[], bool],
        what: str,
        needed: set[int],
        patience: float | None = None,
        call: tuple[int, int] | None = None,
    ) -> float:
        """Wait until `done`. Returns the seconds that this took. `needed` are the ranks that must take part.

        `call` is the group and the number of the call there. Raises DistributedError after the timeout, or once one of
        `needed` has left the program before that call.
        """
        for _ in range(EAGER_TRIES):
            if done():
                return 0.0
        began = looked = time.monotonic()
        patience = self.patience if patience is None else patience
        notice = min(NOTICE, patience / 2)
        said = False
        while not done():
            now = time.monotonic()
            time.sleep(5e-5 if now - began < 0.05 else 1e-3)
            if now - looked > LOOK_AROUND:
                looked = now
                self._look(done, what, needed, call)
            if now - began > notice and not said:
                said = True
                self.tell(WAITS, what)
                print(f"{self.who}: still waiting for {what} after {now - began:.0f} s", file=sys.stderr, flush=True)
            if now - began > patience:
                raise DistributedError(self._in_vain(what, needed, patience))
        return time.monotonic() - began

    def _look(self, done: Callable[[], bool], what: str, needed: set[int], call: tuple[int, int] | None) -> None:
        known = set(self.left)
        self.read()
        gone = [rank for rank in sorted(needed & known) if call is None or self.left[rank].get(call[0], 0) < call[1]]
        if gone and not done():  # known since the last check, so its earlier messages have arrived
            raise DistributedError(f"{self.who} waits for {what}, but {ranks_in_words(gone)} left the program.")

    def _in_vain(self, what: str, needed: set[int], patience: float) -> str:
        self.read()
        missing = sorted(needed - set(self.waiting) - {self._transport.rank})
        others = sorted(needed & set(self.waiting))
        words = [f"{self.who} waited {patience:g} s for {what}."]
        words += [f"Rank {rank} waits for {self.waiting[rank]}." for rank in others]
        if missing:
            words.append(f"Nothing was heard from {ranks_in_words(missing)}: stopped, or still at work?")
        words.append("For more time: init_process_group(timeout=timedelta(seconds=...)).")
        return " ".join(words)

    def farewell(self) -> None:
        """Tell the others that this rank is done, and wait for them: MPI's own end would keep the processor busy."""
        self.tell(LEFT, " ".join(f"{group}:{count}" for group, count in self.calls.items()))
        began = time.monotonic()
        said = False
        others = set(range(self._transport.size)) - {self._transport.rank}
        while not others <= set(self.left):
            self.read()
            time.sleep(1e-3)
            if time.monotonic() - began > NOTICE and not said:
                said = True
                print(
                    f"{self.who} has ended, and waits for {ranks_in_words(sorted(others - set(self.left)))}",
                    file=sys.stderr,
                    flush=True,
                )


def ranks_in_words(ranks: list[int]) -> str:
    """``rank 3``, or ``ranks 1, 3``.

    >>> ranks_in_words([1, 3])
    'ranks 1, 3'
    """
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
