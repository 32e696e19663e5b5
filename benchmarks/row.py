"""A row of the table: one piece of work, several sides that do it, and the goal for minigrad."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Step = Callable[[], Any]
"""Does the work once, and returns its loss (or another number that all sides must agree on)."""

Maker = Callable[[], Step]
"""Imports what a side needs, makes its data and model, and returns its step. Called in the side's own process."""


@dataclass(frozen=True)
class Row:
    """A piece of work. minigrad's result is divided by that of each other side."""

    name: str
    what: str
    sides: Mapping[str, Maker]
    targets: Mapping[str, float] = field(default_factory=dict)
    """For each other side, the largest acceptable ratio. A side without one is shown for orientation."""
    unit: str = "ms"
    """"ms": the time of a step is measured. Anything else: the step's result is the measurement, in this unit."""
    agree: bool = True
    """Whether the numbers that steps return must be equal to five digits."""
    rounds: int = 15
    """The number of turns of each side."""
    threaded: bool = False
    """Whether to measure it also with the default number of threads, as users run it."""
