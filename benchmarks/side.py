"""One side of one row, in its own process: ``python -m benchmarks.side <row> <side>``. Started by `measure`.

It says hello with the first few results, and then, for every line that arrives, works for that many seconds and answers
with the times. It ends when its input does.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from .row import Row, Step
from .workloads import find

FIRST_RESULTS = 3
WARM_UP_SECONDS = 0.3


def warmed_up(row: Row, step: Step) -> list[float]:
    """The first results; by then caches are warm."""
    start = time.perf_counter()
    results = [float(step()) for _ in range(FIRST_RESULTS if row.agree else 1)]
    while time.perf_counter() - start < WARM_UP_SECONDS:
        step()
    return results


def now() -> float:
    """Seconds of work by this process: what its neighbours on a shared machine do meanwhile does not count."""
    return time.process_time()


def burst(row: Row, step: Step, seconds: float) -> list[float]:
    """What steps cost, at least one, for about this long: milliseconds, or what they return."""
    costs: list[float] = []
    start = time.perf_counter()
    while not costs or time.perf_counter() - start < seconds:
        before = now()
        result = step()
        took = (now() - before) * 1e3
        costs.append(took if row.unit == "ms" else float(result))
        del result
    return costs


def say(message: dict[str, Any]) -> None:
    """A line of JSON to whoever started this process."""
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
