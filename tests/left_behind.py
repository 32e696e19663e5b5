"""No test may leave a process behind: a suite that does slows the machine, and one day it hangs.

Each process that a test starts inherits a mark in its environment. At the end of each file of tests the processes with
that mark are looked for, as far as the system shows them (Linux); what is left is named, and killed.
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
"""Seconds in which a process that was told to end may do so."""

HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Processes of Python's own, which end with the one that they serve."""


def left() -> dict[int, str]:
    """The processes with our mark, and their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended, or is somebody else's
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
