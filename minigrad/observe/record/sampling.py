"""How much of each step is recorded.

A program must not become slow by being watched. Under ``"auto"`` each step is recorded in one of three ways:

    whole      every event, with the values
    numbers    forward is held in memory, with each op's norm and extremes; the numbers alone are written
    loss       the loss and the gradients' norms; each op is still looked through for NaN

A whole step costs about as much as the step itself, numbers cost a small part of that. Some seconds of recording are
free, so that a short program is recorded whole; after that each way may take its share of the time that goes by. Slow
steps, of which a person could look at each, stay within it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Literal

Mode = Literal["auto", "all", "none"]

FIRST = 3
"""The first steps, this many, are always recorded whole."""

FREE = 0.5
"""Seconds spent on recording whole steps before their cost limits how many are recorded."""

WHOLE_SHARE = 1 / 25
"""This part of the time may go into recording whole steps."""

FREE_NUMBERS = 1.0
"""Seconds spent on taking numbers before their cost limits how many are taken."""

NUMBERS_SHARE = 1 / 12
"""This part of the time may go into taking numbers."""

THUMBNAILS = 8 * 1024 * 1024
"""Under ``"auto"``, a step keeps this many characters of elements. The rest of it has statistics only."""


class Sampling:
    """Decides step by step.

    >>> sampling = Sampling("none")
    >>> sampling.taking, sampling.recording, sampling.holding
    (False, True, False)
    """

    def __init__(self, mode: Mode = "auto", clock: Callable[[], float] = perf_counter) -> None:
        if mode not in ("auto", "all", "none"):
            raise ValueError(f"values must be 'auto', 'all' or 'none', not {mode!r}")
        self.mode = mode
        self.clock = clock
        self.taking = mode != "none"
        """Whether the values of this step are taken."""
        self.recording = True
        """Whether every event of this step is recorded."""
        self.holding = False
        """Whether the records of this step are held back, and only its numbers are written."""
        self.kept = 0
        """Characters of elements that this step has kept."""
        self.spent = 0.0
        """Seconds spent on whole steps."""
        self.spent_holding = 0.0
        """Seconds spent on numbers."""
        self.attentive = False
        """Whether every step is recorded whatever it costs, because a debugger must know what it stops at."""
        self._asked = 0
        self._steps = 0
        self._began = clock()

    @property
    def roomy(self) -> bool:
        """Whether elements are kept, and not only statistics of them."""
        return self.mode != "auto" or self.kept < THUMBNAILS

    @property
    def writing(self) -> bool:
        """Whether this step's events become records, written or held."""
        return self.recording or self.holding

    def ask(self, steps: int = 1) -> None:
        """Record this step and the following ones whole, `steps` in all, whatever it costs."""
        self._asked = max(self._asked, steps - 1)
        self.taking = self.recording = True
        self.holding = False

    def next_step(self) -> None:
        """Decide for the step that begins."""
        self._steps += 1
        self.kept = 0
        if self._asked:
            self._asked -= 1
            self.taking = self.recording = True
        elif self.mode != "auto":
            self.taking, self.recording = self.mode == "all", True
        else:
            elapsed = self.clock() - self._began
            self.taking = self._steps < FIRST or self.spent <= FREE + WHOLE_SHARE * elapsed
            self.recording = self.taking or self.attentive
        self.holding = not self.recording and self._affords_numbers()

    def _affords_numbers(self) -> bool:
        return self.spent_holding <= FREE_NUMBERS + NUMBERS_SHARE * (self.clock() - self._began)
