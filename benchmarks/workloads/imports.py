"""Measure the start: a fresh interpreter that imports the library and ends, in its own CPU time."""

from __future__ import annotations

import resource
import subprocess
import sys

from ..row import Maker, Row


def _children() -> float:
    """Seconds of work by all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fresh(statement: str) -> Maker:
    """A step that runs a fresh interpreter."""

    def make() -> object:
        def step() -> float:
            before = _children()
            subprocess.run([sys.executable, "-c", statement], check=True)
            return (_children() - before) * 1e3

        return step

    return make  # type: ignore[return-value]


ROWS = [
    Row(
        "import",
        "a fresh interpreter, `import minigrad`, and its end",
        {"minigrad": fresh("import minigrad"), "numpy": fresh("import numpy"), "torch": fresh("import torch")},
        {"numpy": 1.5},
        unit="ms CPU",
        agree=False,
    )
]
