"""Fail tests that leave a process running: such a suite slows the machine, and may hang one day.

Each process that a test starts inherits a mark in its environment. At the end of each test file, the processes with
that mark are searched, if the system shows them (Linux); those still running are reported and killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

MARK = f"MINIGRAD_TESTED_BY={os.getpid()}-{time.time_ns()}"
PATIENCE = 60.0
"""Seconds within which a process must end after it was told to."""

HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Python's own helper processes, which end with the process that they serve."""


def left() -> dict[int, str]:
    """The processes with our mark, and their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended, or belongs to another user
            if MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                if command and not any(helper in command for helper in HELPERS):
                    found[int(folder.name)] = command
    found.pop(os.getpid(), None)
    return found


@pytest.fixture(autouse=True, scope="module")
def nothing_left_behind() -> Iterator[None]:
    """Fail the last test of a file if a process of its tests still runs."""
    name, _, value = MARK.partition("=")
    os.environ[name] = value
    yield
    until = time.monotonic() + PATIENCE
    while (processes := left()) and time.monotonic() < until:
        time.sleep(0.05)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert not processes, f"left behind, and now killed: {'; '.join(processes.values())}"
