"""Helpers for tests of recordings."""

from __future__ import annotations

import sys
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minigrad.observe import Recorder
from minigrad.observe.record.sampling import Sampling

Record = dict[str, Any]

positions = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python knows no columns before 3.11: it gives the line"
)
"""Marks a test of positions within a line."""


def recorded(program: Callable[[], Any], **options: Any) -> list[Record]:
    """The records of a program."""
    records: list[Record] = []
    options.setdefault("values", "all")
    recorder = Recorder(records.append, **options)
    with recorder:
        program()
    assert recorder.failure is None, repr(recorder.failure)
    return records


def sample(monkeypatch: pytest.MonkeyPatch, way: Callable[[], str]) -> None:
    """Make a recorder record each step after the first as `way` says: "whole", by its "numbers", or its "loss"."""
    decide = Sampling.next_step

    def next_step(self: Sampling) -> None:
        asked = self._asked
        decide(self)
        if not asked:
            chosen = way()
            self.taking = self.recording = chosen == "whole"
            self.holding = chosen == "numbers"
            self.changed()

    monkeypatch.setattr(Sampling, "next_step", next_step)


def of_type(records: list[Record], *kinds: str) -> list[Record]:
    """The records of these kinds."""
    return [record for record in records if record["type"] in kinds]


def named(records: list[Record]) -> dict[str, Record]:
    """Every named tensor, also among the outputs of nodes; of each name the last."""
    found = {}
    for record in records:
        for each in [record] if record["type"] == "tensor" else record.get("outputs", ()):
            if each.get("name"):
                found[each["name"]] = each
    return found


def array(value: Record) -> Any:
    """The elements of a value as an array of rows and columns."""
    return np.frombuffer(b64decode(value["data"]), "<f4").reshape(value["rows"], value["cols"])
