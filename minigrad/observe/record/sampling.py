"""How much of each step is recorded.

A program must not become slow by being watched. Under ``"auto"`` a number of records is free, so that a short program
is recorded whole. After that an account is kept: recording may cost a small share of the time that goes by. Where that
is overdrawn the recorder naps: it does not even listen, and so costs nothing, until there is time for another step.
Steps that were missed so are said to be missing. Slow steps, of which a person could look at each, never overdraw it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Literal

Mode = Literal["auto", "all", "none"]

FIRST = 3
"""So many steps have their values taken in any case."""

VALUES_SHARE = 1 / 30
"""This part of the time may go into looking at values."""

STEPS_SHARE = 1 / 25
"""This part of the time may go into recording as a whole."""

FREE_LOOKING = 0.25
"""So many seconds of looking at values are free: a small program has them in every step."""

FREE = 100_000
"""So many records are free."""

THUMBNAILS = 8 * 1024 * 1024
"""So many characters of elements are kept of a step under ``"auto"``; of what comes after them, statistics only."""


class Sampling:
    """Decides step by step.

    >>> sampling = Sampling("none")
    >>> sampling.taking, sampling.recording
    (False, True)
    """

    def __init__(self, mode: Mode = "auto", clock: Callable[[], float] = perf_counter) -> None:
        if mode not in ("auto", "all", "none"):
            raise ValueError(f"values must be 'auto', 'all' or 'none', not {mode!r}")
        self.mode = mode
        self.clock = clock
        self.taking = mode != "none"
        """Whether the values of this step are taken."""
        self.recording = True
        """Whether this step is recorded at all."""
        self.nap = 0.0
        """Seconds for which not to listen, from the end of a step on."""
        self.looking = 0.0
        """Seconds spent on the values of this step."""
        self.kept = 0
        """Characters of elements that this step has kept."""
        self.spent = 0.0
        """Seconds spent on recording, since that is no longer free."""
        self.attentive = False
        """Whether every step is recorded whatever it costs, because a debugger must know what it stops at."""
        self._asked = 0
        self._steps = 0
        self._next = clock()
        self._looked = 0.0
        self._since: float | None = None
        """When recording ceased to be free."""

    @property
    def roomy(self) -> bool:
        """Whether elements are kept, and not only statistics of them."""
        return self.mode != "auto" or self.kept < THUMBNAILS

    def ask(self, steps: int = 1) -> None:
        """Record this step and the following ones, `steps` in all, whatever it costs: somebody is looking."""
        self._asked = max(self._asked, steps - 1)
        self.taking = self.recording = True

    def next_step(self, records: int) -> None:
        """Decide for the step that begins; so many `records` were written before it."""
        now = self.clock()
        self._steps += 1
        self.kept = 0
        self.nap = 0.0
        if self.taking:
            self._looked += self.looking
            self._next = now + (self.looking / VALUES_SHARE if self._looked > FREE_LOOKING else 0.0)
            self.looking = 0.0
        if self._asked:
            self._asked -= 1
            self.taking = self.recording = True
        elif self.mode != "auto":
            self.taking, self.recording = self.mode == "all", True
        else:
            overdrawn = 0.0 if self.attentive else self._overdrawn(records, now)
            self.recording = overdrawn <= 0
            self.taking = self.recording and (self._steps < FIRST or now >= self._next)
            self.nap = max(0.0, overdrawn / STEPS_SHARE)

    def _overdrawn(self, records: int, now: float) -> float:
        """Seconds of recording beyond what may be spent."""
        if records < FREE:
            return 0.0
        if self._since is None:
            self._since, self.spent = now, 0.0
        return self.spent - STEPS_SHARE * (now - self._since)
