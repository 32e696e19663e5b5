"""Add the memory in use to the records of a trace."""

from __future__ import annotations

from typing import Any

from .ledger import Ledger


class Weighing:
    """Write ``memory`` into the last record of an event.

    The field tells how much memory is held after the event, by kind. Memory that was allocated and freed since the last
    record counts as temporary. So the total is the most that was held since then, and no peak is missed.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._held = ledger.framework.memory_counter()
        self._seq = 0
        """The number of the last record that was looked at."""
        self._told = -1, -1, 0
        """The step of the record before it, the number of changes of memory until then, and the memory that had come
        and gone."""

    def __call__(self, event: Any) -> None:
        """Take an event after its records are written: looking for names can free what a function no longer holds."""
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
        """Note that events were missed."""
        if self._held is not None:
            self._held.awake()
