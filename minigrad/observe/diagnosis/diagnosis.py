"""The rules, applied to a run as it goes by or to a recorded one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..record.reader import read
from .finding import Finding
from .gradients import missing, nothing_to_learn, overwritten, uncleared
from .holding import growing_graph, memory
from .numbers import by_layer, dead_relus, not_finite, step_length, too_long
from .steps import Steps

RULES: tuple[Callable[[Steps], Iterator[Finding]], ...] = (
    not_finite, nothing_to_learn, overwritten, missing, uncleared, by_layer, too_long, dead_relus, step_length,
    growing_graph, memory,
)  # fmt: skip
"""The first found is the first said: what explains most stands first."""


class Diagnosis:
    """A sink of a recorder that says what is wrong with the program.

    >>> import minigrad as mg
    >>> diagnosis = Diagnosis()
    >>> with mg.observe.Recorder(diagnosis, values="all"):
    ...     x = mg.tensor([-1.0, 1.0], requires_grad=True)
    ...     x.log().sum().backward()
    >>> [found.kind for found in diagnosis.findings()]
    ['nan']
    """

    def __init__(self) -> None:
        self.steps = Steps()

    def send(self, record: Mapping[str, Any]) -> None:
        """Take a record."""
        self.steps.take(dict(record))

    def close(self) -> None:
        """Nothing to do."""

    def findings(self) -> list[Finding]:
        """What is wrong, one finding of a kind and a place, the most telling first."""
        found: dict[tuple[str, str], Finding] = {}
        for rule in RULES:
            for each in rule(self.steps):
                found.setdefault((each.kind, str(each.at)), each)
        return list(found.values())


def diagnose(recording: str | os.PathLike[str] | Iterable[Mapping[str, Any]]) -> list[Finding]:
    """What is wrong with the program of a recording: a trace file, or its records."""
    records = recording if not isinstance(recording, (str, os.PathLike)) else read(recording).records
    diagnosis = Diagnosis()
    for record in records:
        diagnosis.send(record)
    return diagnosis.findings()
