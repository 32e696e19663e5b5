"""Measure the cost of recording: mlp and gpt with a trace written to a file, against the same not recorded.

`values` is "auto", as in `mg.watch()`, or "all". With "auto" the loss and the norms of every step are written, the
numbers of each op, and sometimes a whole step. The seconds that are free for short programs are set to 0, since they
would make up most of a measurement. The time of the recorder's thread is included, up to the last byte in the file.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from ..row import Maker, Row, Step
from . import gpt, mlp

AT_A_TIME = {"mlp": 25, "gpt": 2}
"""This many steps are measured together, so that postponed work is included."""

WORKS: dict[str, Row] = {row.name: row for row in (*mlp.ROWS, *gpt.ROWS)}


def alone(name: str) -> Maker:
    """Milliseconds of a step that is not recorded."""
    return lambda: timed(WORKS[name].sides["minigrad"](), AT_A_TIME[name])


def recorded(name: str, values: Any) -> Maker:
    """Milliseconds of a step that is recorded to a file."""

    def make() -> Step:
        from minigrad.observe import record
        from minigrad.observe.record import sampling

        step = WORKS[name].sides["minigrad"]()
        sampling.FREE = sampling.FREE_NUMBERS = 0.0
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return timed(step, AT_A_TIME[name], record(Path(folder, "run.jsonl"), values=values).start())

    return make


def timed(step: Step, steps: int, recorder: Any = None) -> Step:
    """A step that takes `steps`, and returns what one of them cost this process, all its threads together.

    Recording may take its share of the time that goes by, and while other sides have their turn time goes by for
    nothing: a program that runs on its own has none of it. So it is taken off the recorder's clock.
    """
    ended = None

    def several() -> float:
        nonlocal ended
        if recorder is not None and ended is not None:
            recorder.trace.sampling.idle(time.perf_counter() - ended)
        begun = time.process_time()
        for _ in range(steps):
            step()
        if recorder is not None:
            recorder.flush()
        ended = time.perf_counter()
        return (time.process_time() - begun) / steps * 1e3

    return several


def _row(name: str, work: str, how: str, ours: Maker, target: float) -> Row:
    return Row(
        f"{name}-{work}",
        f"{work} {how}, against not recorded: CPU time of the program, a step",
        {"minigrad": ours, "not recorded": alone(work)},
        {"not recorded": target},
        unit="ms/step",
        agree=False,
    )


ROWS = [
    row
    for work in WORKS
    for row in (
        _row("recorded", work, "being recorded, values auto", recorded(work, "auto"), 1.3),
        _row("recorded-all", work, "being recorded, values all", recorded(work, "all"), 3.0),
    )
]
