"""The limits of a learner's cell, so that a mistake leads to a message rather than a frozen computer.

They protect from mistakes, but are no sandbox: a cell can read and write whatever its user can. Inside
a `sandbox`, no code can raise the limits.

Linux enforces all limits, macOS all except memory, and Windows only those that the
parent watches: the seconds and the output.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .seccomp import close_calls

MEBIBYTE = 1024 * 1024

WITHIN_WALLS = 16
"""Processes and threads of a sandbox in addition to those of cells: the first process, and threads that read and
publish."""

FILES = 256
"""How many files a process in a sandbox may have open."""


@dataclass(frozen=True)
class Limits:
    """The limits of each cell. The defaults leave a lesson plenty of room."""

    seconds: float = 120.0
    """Seconds of wall-clock time."""
    grace: float = 2.0
    """Seconds in which an interrupted cell must end before its Python is killed."""
    output: int = 200_000
    """The most characters that it may print."""
    processor: int = 900
    """Seconds of processor time of all its threads together."""
    memory: int = 4096
    """Mebibytes of memory of the whole session."""
    file: int = 256
    """Mebibytes of the largest file that it may write."""
    processes: int = 16
    """The most processes that it may start. Those may start none."""


def limits_for(seconds: float) -> Limits:
    """Limits for a lesson that states how many `seconds` it takes. A busy computer takes several times as long.

    >>> limits_for(10).seconds, limits_for(60).seconds
    (120.0, 240.0)
    """
    return Limits(seconds=max(Limits.seconds, 4.0 * seconds))


def confine(limits: Limits, walls: bool = False) -> None:
    """Set the limits. Called in the child, once, before any learner's code runs.

    With `walls`, no code can raise them again.
    """
    if sys.platform != "win32":
        import resource

        for kind, limit in (
            (resource.RLIMIT_DATA, limits.memory * MEBIBYTE),
            (resource.RLIMIT_FSIZE, limits.file * MEBIBYTE),
            (resource.RLIMIT_CORE, 0),
        ):
            _lower(kind, limit, walls)
        others = _tasks_of_this_user()
        if walls:
            _lower(resource.RLIMIT_NPROC, WITHIN_WALLS + 2 * limits.processes, walls)
            _lower(resource.RLIMIT_NOFILE, FILES, walls)
            _lower(resource.RLIMIT_MSGQUEUE, 0, walls)
            _lower(resource.RLIMIT_MEMLOCK, 0, walls)
            close_calls()
        elif others is not None:
            _lower(resource.RLIMIT_NPROC, others + 32 * limits.processes)


def grant_processor_time(limits: Limits) -> None:
    """Allow the next cell its full processor time. Called in the child before each cell."""
    if sys.platform not in ("win32", "wasi"):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + limits.processor)


def _lower(kind: int, limit: int, walls: bool = False) -> None:
    """Set a soft limit, not above the hard one; with `walls` also lower the hard one."""
    if sys.platform != "win32":
        import resource

        hard = resource.getrlimit(kind)[1]
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (soft, soft if walls else hard))


def _tasks_of_this_user() -> int | None:
    """The number of processes and threads of this user; None if the system does not report it."""
    tasks = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended meanwhile
            if process.stat().st_uid == os.getuid():
                tasks += len(os.listdir(process / "task"))
    return tasks or None


class ProcessGuard:
    """Limits how many processes a cell starts: one line that forks in a loop would otherwise freeze the computer."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.started = 0
        self._process = os.getpid()
        sys.addaudithook(self._heard)

    def reset(self) -> None:
        """Start counting anew for a new cell."""
        self.started = 0

    def adopt(self) -> None:
        """Count for this process, which is a copy."""
        self.started, self._process = 0, os.getpid()

    def _heard(self, event: str, arguments: Any) -> None:
        if event in STARTS:
            self.started += 1
            if self.started > self.most or os.getpid() != self._process:
                raise RuntimeError(
                    f"a cell may start {self.most} processes, and those may start none: this would be one more"
                )


def close_folder(folder: str) -> None:
    """Keep this process from opening files in `folder`: the solved lessons, while answers are checked."""
    inside = os.path.realpath(folder) + os.sep

    def heard(event: str, arguments: Any) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes)):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if path.startswith(inside):
                raise PermissionError(errno.EACCES, "The lessons are closed while an answer is checked", path)

    sys.addaudithook(heard)


STARTS = frozenset({"os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"})
"""Python's audit events that mean a new process."""
