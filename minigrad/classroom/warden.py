"""End a sandbox whose processes together use too much memory, or that works while no cell runs.

The system limits each process separately, so a cell that starts twenty has twenty times the memory. And a process that
a cell leaves behind would use processor time for ever. So a thread checks all sandboxes, twice a second.
"""

from __future__ import annotations

import functools
import math
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

INTERVAL = 0.5
"""Seconds between two checks."""

IDLE, SHARE = 3.0, 0.1
"""Seconds of processor time that a sandbox may use while no cell runs, and in addition a share of a core over time: its
recorder, which waits for viewers, takes 1 or 2 % while the pupil reads."""


class Ward(Protocol):
    """A process that is watched, with all processes that it has started."""

    pid: int
    working: bool
    """Whether the process is working on a request."""
    bound: int
    """The most bytes of memory."""

    def end(self, memory: bool) -> None:
        """End the process: it uses too much memory, or works while no cell runs."""
        ...


class Rest(NamedTuple):
    """When a ward last worked, and the processor time that it had used by then."""

    since: float
    used: float


class Task(NamedTuple):
    """A process as the system reports it: its parent, bytes, and seconds of processor time."""

    parent: int
    memory: int
    seconds: float


class Warden:
    """Checks its wards until there are none."""

    def __init__(self) -> None:
        self._wards: dict[Ward, Rest] = {}
        self._lock = threading.Lock()
        self._looking = False

    def watch(self, ward: Ward) -> None:
        """Watch `ward` from now on."""
        with self._lock:
            self._wards[ward] = Rest(time.monotonic(), math.inf)  # the first check finds what its start has used
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._look, name="minigrad lesson warden", daemon=True).start()

    def forget(self, ward: Ward) -> None:
        """Forget a ward that has ended."""
        with self._lock:
            self._wards.pop(ward, None)

    def _look(self) -> None:
        while True:
            time.sleep(INTERVAL)
            with self._lock:
                if not self._wards:
                    self._looking = False
                    return
                wards = list(self._wards)
            used = usage({ward.pid for ward in wards}, tasks())
            for ward in wards:
                self._judge(ward, *used[ward.pid])

    def _judge(self, ward: Ward, memory: int, seconds: float) -> None:
        now = time.monotonic()
        rest = self._wards.get(ward, Rest(now, seconds))
        if memory > ward.bound:
            ward.end(memory=True)
        elif ward.working or seconds < rest.used:
            with self._lock:
                if ward in self._wards:  # the ward may have ended during the check
                    self._wards[ward] = Rest(now, seconds)
        elif seconds - rest.used > IDLE + SHARE * (now - rest.since):
            ward.end(memory=False)


def usage(roots: set[int], known: Mapping[int, Task]) -> dict[int, tuple[int, float]]:
    """The bytes and seconds of each root process with all its descendants.

    >>> usage({1}, {1: Task(0, 5, 1.0), 2: Task(1, 7, 0.5), 3: Task(2, 1, 0.0), 4: Task(0, 9, 9.0)})
    {1: (13, 1.5)}
    """
    found = dict.fromkeys(roots, (0, 0.0))
    for pid, task in known.items():
        above, steps = pid, 0
        while above in known and above not in roots and steps < len(known):
            above, steps = known[above].parent, steps + 1
        if above in roots:
            memory, seconds = found[above]
            found[above] = memory + task.memory, seconds + task.seconds
    return found


def tasks() -> dict[int, Task]:
    """All processes of this computer, by process id."""
    page, tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # the process has ended meanwhile
            continue
        found[int(folder.name)] = Task(
            int(fields[1]), int(fields[21]) * page, (int(fields[11]) + int(fields[12])) / tick
        )
    return found


@functools.cache
def warden() -> Warden | None:
    """The warden of this process; None if the system does not report processes."""
    return Warden() if sys.platform == "linux" else None
