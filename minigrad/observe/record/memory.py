"""The memory in use, as the records of a trace tell it."""

from __future__ import annotations

from typing import Any

from .ledger import Ledger


class Weighing:
    """Writes ``memory`` into the last record of an event.

    That is what is held after it, by kind. What came and went since the record before, in passing, counts with what is
    temporary, so that all of it together is the most that was held since then, and no peak is missed.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._held = ledger.framework.memory_counter()
        self._seq = 0
        """The last record that was looked at."""
        self._told = -1, -1, 0
        """The step of the record before it, how many changes of memory there had been by then, and what had passed."""

    def __call__(self, event: Any) -> None:
        """Take an event, after its records are written: to look for names lets go of what a function held no longer."""
        held, ledger = self._held, self.ledger
        if held is None:
            return
        held(event)
        if ledger.seq == self._seq or not ledger.queue:
            return
        self._seq = ledger.seq
        last = ledger.queue[-1]
        passed = held.crest - held.total
        told = last["step"], held.changes, passed
        held.crest = 0
        if told != self._told:  # each step is complete in itself
            self._told = told
            after = {**held.now, "temporary": held.now["temporary"] + passed} if passed else held.now
            last["memory"] = {kind: size for kind, size in after.items() if size}

    def awake(self) -> None:
        """Events were missed."""
        if self._held is not None:
            self._held.awake()
