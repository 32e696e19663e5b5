"""One side of one row, in its own process: ``python -m benchmarks.side <row> <side>``. Started by `measure`.

It says hello with the first few results, and then, for every line that arrives, works for that many seconds and answers
with the times. It ends when its input does.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

from .row import Row, Step
from .workloads import find

FIRST_RESULTS = 3
WARM_UP_SECONDS, STEADY, PATIENCE = 0.2, 0.03, 10
"""A side is warmed up once a burst of this length is not faster than the one before by more than this share, or after
this many bursts."""

Cost = tuple[float, float]
"""The cost of a step in milliseconds: this process's CPU time, which other programs on the machine do not affect, and
the wall time. If a step returns its own measurement, both are that."""


def warmed_up(row: Row, step: Step) -> list[float]:
    """Run until the side gets no faster. Returns the first results."""
    results = [float(step()) for _ in range(FIRST_RESULTS if row.agree else 1)]
    before = float("inf")
    for _ in range(PATIENCE):
        now = statistics.median(cpu for cpu, _ in burst(row, step, WARM_UP_SECONDS))
        if now > before * (1 - STEADY):
            break
        before = now
    return results


def burst(row: Row, step: Step, seconds: float) -> list[Cost]:
    """Time a step, at least once, for about this many seconds."""
    costs: list[Cost] = []
    start = time.perf_counter()
    while not costs or time.perf_counter() - start < seconds:
        cpu, wall = time.process_time(), time.perf_counter()
        result = step()
        cost = ((time.process_time() - cpu) * 1e3, (time.perf_counter() - wall) * 1e3)
        costs.append(cost if row.unit == "ms" else (float(result), float(result)))
        del result
    return costs


def say(message: dict[str, Any]) -> None:
    """Print a line of JSON for the process that started this one."""
    print(json.dumps(message), flush=True)


def main(row_name: str, side: str) -> None:
    row = find(row_name)
    try:
        step = row.sides[side]()
    except ImportError as error:
        say({"missing": str(error)})
        return
    say({"results": warmed_up(row, step)})
    for line in sys.stdin:
        say({"costs": burst(row, step, float(line))})


if __name__ == "__main__":
    main(*sys.argv[1:])
