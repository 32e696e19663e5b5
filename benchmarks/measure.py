"""Measure a row: each side runs in its own process, is warmed up, and is then timed in short turns.

They take turns because the machine is shared: what slows it down for a while then slows all sides.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from .row import Row

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
TUNED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Settings that make NumPy's products slower or faster than a user's: they are removed."""
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Compiled modules are cached, as for every user: else `import` would measure the compiler."""


@dataclass
class Measured:
    """The cost of one side of a row."""

    side: str
    rounds: list[list[tuple[float, float]]] = field(default_factory=list)
    """For each turn, the CPU time and the wall time of each step."""
    results: list[float] = field(default_factory=list)
    missing: str = ""

    def median(self, wall: bool = False) -> float:
        """The median CPU time of all steps, or their median wall time."""
        costs = [cost[wall] for turn in self.rounds for cost in turn]
        return statistics.median(costs) if costs else float("nan")

    def turns(self, wall: bool = False) -> list[float]:
        """The median of each turn."""
        return [statistics.median(cost[wall] for cost in turn) for turn in self.rounds]


class Worker:
    """A side's process."""

    def __init__(self, row: Row, side: str, one_thread: bool) -> None:
        self.measured = Measured(side)
        plain = {name: value for name, value in os.environ.items() if name not in (*ONE_THREAD, *TUNED)}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.side", row.name, side],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**plain, **(ONE_THREAD if one_thread else {}), **BYTECODE},
        )

    def hear(self) -> dict[str, Any]:
        """The next message of the process."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            return {"missing": f"it failed with status {self.process.wait()}"}
        return json.loads(line)  # type: ignore[no-any-return]

    def greet(self) -> bool:
        """Wait until the process is warmed up. False if it cannot run here."""
        hello = self.hear()
        self.measured.missing = hello.get("missing", "")
        self.measured.results = hello.get("results", [])
        return not self.measured.missing

    def work(self, seconds: float) -> None:
        """Let the process work for some seconds, while the others wait."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        costs = self.hear().get("costs", [])
        if costs:
            self.measured.rounds.append([(cpu, wall) for cpu, wall in costs])

    def end(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def measure(row: Row, seconds: float = 0.15, one_thread: bool = True) -> list[Measured]:
    """The cost of each side of `row`, with one thread or with the default number."""
    workers: list[Worker] = []
    for side in row.sides:  # one after another: warming up is work too
        worker = Worker(row, side, one_thread)
        workers.append(worker)
        worker.greet()
    able = [worker for worker in workers if not worker.measured.missing]
    for _ in range(row.rounds):
        for worker in able:
            worker.work(seconds)
    for worker in workers:
        worker.end()
    return [worker.measured for worker in workers]


def agree(one: list[float], other: list[float]) -> bool:
    """Whether results are equal to five digits."""
    return len(one) == len(other) and all(
        abs(a - b) <= 1e-5 * max(abs(a), abs(b), 1e-3) for a, b in zip(one, other, strict=True)
    )
