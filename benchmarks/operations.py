"""Compare each op and module with PyTorch's, forward and backward, slowest first: ``python -m benchmarks.operations``.

Both libraries run in one process, in turn, so that a whole scan takes a minute. With one thread (``OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1``), CPU time is measured, which other programs do not affect; with more, wall time. What is slow
here deserves a row of its own. Words after the command select the cases whose names contain one of them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from .operation_cases import CASES, Case

ROUNDS, TURN = 5, 0.02
"""The number of turns of each library, and the seconds each turn takes."""


def best_of(step: Callable[[], Any], clock: Callable[[], float]) -> float:
    """The least time of a step in a turn."""
    least, end = float("inf"), time.perf_counter() + TURN
    while True:
        begun = clock()
        step()
        least = min(least, clock() - begun)
        if time.perf_counter() > end:
            return least


def compare(case: Case, libraries: tuple[Any, Any], clock: Callable[[], float]) -> tuple[float, float]:
    """The least milliseconds of a step in each library."""
    steps = [case(library) for library in libraries]
    for step in steps:
        step(), step()
    found = [float("inf")] * len(steps)
    for _ in range(ROUNDS):
        for number, step in enumerate(steps):
            found[number] = min(found[number], best_of(step, clock))
    return found[0] * 1e3, found[1] * 1e3


def main() -> int:
    import torch

    import minigrad

    words = sys.argv[1:]
    one_thread = os.environ.get("OMP_NUM_THREADS") == "1"
    clock = time.process_time if one_thread else time.perf_counter
    found = []
    for name, case in CASES.items():
        if words and not any(word in name for word in words):
            continue
        try:
            ours, theirs = compare(case, (minigrad, torch), clock)
        except Exception as error:  # a case that one library refuses is a finding, too
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        found.append((ours / theirs, ours, theirs, name))
    print(f"{'ratio':>6} {'minigrad':>9} {'torch':>9}  ms, {torch.get_num_threads()} threads")
    for ratio, ours, theirs, name in sorted(found, reverse=True):
        print(f"{ratio:6.2f} {ours:9.3f} {theirs:9.3f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
