"""Apply the rules to a running program or to a recorded one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..record.reader import read
from .endings import crashed, freed
from .finding import Finding
from .gradients import missing, nothing_to_learn, overwritten, uncleared
from .holding import growing_graph, held, kept_graphs, memory
from .losses import axis, logits, shapes, wrong_sign
from .modes import evaluation_in_training, training_in_evaluation
from .numbers import by_layer, dead_relus, not_finite, shrinking, step_length, too_long
from .optimiser import called_amiss, made_anew, unowned
from .steps import Steps
from .units import alike, clipped_away, saturated, without_slope

RULES: tuple[Callable[[Steps], Iterator[Finding]], ...] = (
    not_finite, nothing_to_learn, overwritten, freed, missing, called_amiss, made_anew, unowned, uncleared,
    clipped_away, logits, axis, shapes, wrong_sign, shrinking, alike, by_layer, too_long, dead_relus, saturated,
    without_slope, step_length, training_in_evaluation, evaluation_in_training, growing_graph, held,
    kept_graphs, memory,
)  # fmt: skip
"""The rules, in the order of their findings: the most explanatory come first."""

EXPLAINS_AN_ERROR = frozenset(
    ("in_place", "detached", "no_grad", "frozen", "not_differentiable", "growing_graph", "freed")
)
"""Kinds of findings that make a report of the program's final error unnecessary."""


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
        """The problems found, one finding for each kind and place, the most explanatory first."""
        found: dict[tuple[str, str], Finding] = {}
        for rule in RULES:
            for each in rule(self.steps):
                found.setdefault((each.kind, str(each.at)), each)
        if not EXPLAINS_AN_ERROR & {kind for kind, _ in found}:
            found.update(((each.kind, str(each.at)), each) for each in crashed(self.steps))
        return [self._spotted(each) for each in found.values()]

    def _spotted(self, found: Finding) -> Finding:
        if found.node is not None:
            return found
        step, node = self.steps.spot(found.at)
        return replace(found, step=step, node=node)


def diagnose(recording: str | os.PathLike[str] | Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Diagnose the program of a recording: a trace file, or its records."""
    records = recording if not isinstance(recording, (str, os.PathLike)) else read(recording).records
    diagnosis = Diagnosis()
    for record in records:
        diagnosis.send(record)
    return diagnosis.findings()
