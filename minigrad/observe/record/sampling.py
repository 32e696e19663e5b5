"""Choose how much of each step is recorded.

A program must not become slow by being watched. Under ``"auto"`` each step is recorded in one of three ways:

    whole      every event, with the values
    numbers    forward is held in memory, with each op's norm and extremes; the numbers alone are written
    loss       the loss and the gradient norms; each op is still checked for NaN

Recording a whole step takes as long as the step itself, numbers a small part of that. Some seconds of recording are
free, so that a short program is recorded whole; after that each way may take its share of the time that goes by. Slow
steps, of which a person could look at each, stay within it. First steps that cost more than is free, for example on a
busy machine, delay only the next whole step.

A step of thousands of tiny ops can cost many times what it takes by itself. So each step has a limit as well: beyond it
the rest of the step is recorded by its loss. On a busy machine recording waits for its turn, which is no cost.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time
from typing import Literal

Mode = Literal["auto", "all", "none"]

FIRST = 3
"""The first steps, this many, are always recorded whole."""

FIRST_FREE = 1.0
"""Seconds. If the first steps have cost more, the remaining ones of them are treated like any other step."""

FREE = 0.5
"""Seconds spent on recording whole steps before their cost limits how many are recorded."""

WHOLE_SHARE = 1 / 25
"""At most this part of the time goes into recording whole steps."""

FREE_NUMBERS = 0.5
"""Seconds spent on taking numbers before their cost limits how many are taken."""

NUMBERS_SHARE = 1 / 12
"""At most this part of the time goes into taking numbers."""

STEP_FREE = 1.5
"""Seconds that recording one step may always cost."""

STEP_SHARE = 1 / 8
"""In addition it may cost this part of the time that the program itself has taken in the step until then."""

FEW = 200
"""A step of at most this many ops is never too costly: if so few ops take long, the machine is busy."""

THUMBNAILS = 8 * 1024 * 1024
"""With ``"auto"``, a step keeps this many characters of elements. Its further values have statistics only."""


class Sampling:
    """Decide, for each step, how much of it is recorded.

    >>> sampling = Sampling("none")
    >>> sampling.taking, sampling.recording, sampling.holding
    (False, True, False)
    """

    def __init__(
        self, mode: Mode = "auto", clock: Callable[[], float] = perf_counter, work: Callable[[], float] = process_time
    ) -> None:
        if mode not in ("auto", "all", "none"):
            raise ValueError(f"values must be 'auto', 'all' or 'none', not {mode!r}")
        self.mode = mode
        self.clock = clock
        self.work = work
        """The seconds that this process has computed. A call takes longer than one of `clock`."""
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
        self.changed: Callable[[], object] = int
        """Called when `recording` or `holding` may have changed."""
        self.attentive = False
        """Whether every step is recorded at any cost, because a debugger must know what it stops at."""
        self._asked = 0
        self._limited = mode == "auto"
        """Whether recording of this step may be cut short for its cost; False if a viewer asked for the step."""
        self._dues = 0.0
        """When the last whole step is paid for by its share of the time that has gone by since."""
        self._before = 0.0
        """Seconds spent on all steps before this one."""
        self._worked = work()
        """What `work` said when this step began."""
        self._was_cut = False
        """Whether recording the last step was cut short for its cost: then the next steps take no numbers."""
        self._steps = 0
        self._began = clock()

    @property
    def roomy(self) -> bool:
        """Whether to keep elements, not only their statistics."""
        return self.mode != "auto" or self.kept < THUMBNAILS

    @property
    def writing(self) -> bool:
        """Whether this step's events become records, written or held."""
        return self.recording or self.holding

    @property
    def too_dear(self) -> bool:
        """Whether recording this step has cost more than it may."""
        if not self._limited or self.attentive or not (self.recording or self.holding):
            return False
        spent = self.spent + self.spent_holding
        own = self.clock() - self._began - spent
        allowed = STEP_FREE + STEP_SHARE * max(own, 0.0)
        return spent - self._before > allowed and self.work() - self._worked > allowed

    def delivered(self, seconds: float) -> None:
        """Count the seconds that it took to deliver records: nearly all of them are of whole steps."""
        self.spent += seconds
        self._dues += seconds / WHOLE_SHARE

    def idle(self, seconds: float) -> None:
        """Leave out a time in which the program did nothing: no recording may be paid with it."""
        self._began += seconds
        self._dues += seconds

    def cut(self) -> None:
        """Record only the loss of the rest of this step."""
        self._owe(self.clock())
        self.taking = self.recording = self.holding = False
        self._was_cut = True
        self.changed()

    def ask(self, steps: int = 1) -> None:
        """Record this step and the following ones whole, `steps` in all, at any cost."""
        self._asked = max(self._asked, steps - 1)
        self.taking = self.recording = True
        self.holding = self._limited = False
        self.changed()

    def next_step(self) -> None:
        """Decide how the step that begins is recorded."""
        self._steps += 1
        now = self.clock()
        if self.recording:
            self._owe(now)
        self._was_cut = self._was_cut and not self.recording
        self.kept = 0
        self._before = self.spent + self.spent_holding
        self._limited = self.mode == "auto" and not self._asked
        if self._asked:
            self._asked -= 1
            self.taking = self.recording = True
        elif self.mode != "auto":
            self.taking, self.recording = self.mode == "all", True
        else:
            early = self._steps < FIRST and self.spent <= FIRST_FREE
            within = self.spent <= FREE + WHOLE_SHARE * (now - self._began)
            self.taking = early or within or now >= self._dues
            self.recording = self.taking or self.attentive
        self.holding = not self.recording and self._affords_numbers()
        if self.writing:
            self._worked = self.work()
        self.changed()

    def _owe(self, now: float) -> None:
        """Let time pay for the whole step that ends now. What steps before it cost beyond their share is forgotten."""
        self._dues = now + (self.spent + self.spent_holding - self._before) / WHOLE_SHARE

    def _affords_numbers(self) -> bool:
        return not self._was_cut and self.spent_holding <= FREE_NUMBERS + NUMBERS_SHARE * (self.clock() - self._began)
