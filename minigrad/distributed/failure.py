"""When a rank fails, end all ranks and say which one failed: the others would wait for it.

Importing this package sets this up for a program under plain ``python``; ``minigrad run`` calls `end_all` itself,
after the recorders have written their records.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from types import TracebackType
from typing import Any

from . import mpi
from .launch import MPI_RANKS, launched
from .waiting import NoticeBoard

FORWARDING = 0.5
"""Seconds for the launcher to forward output: after a rank aborts, it drops the rest."""
JOINING = 5.0
"""Seconds that a rank which failed early waits for the others in order to end them."""


def end_all_on_errors() -> None:
    """Make an uncaught error end all ranks. Does nothing in a process that runs alone.

    This applies before the group is made, too: other ranks also wait for a rank that fails while it reads its data.
    """
    if launched(MPI_RANKS) is None:
        return
    before, in_threads = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        if not _under_minigrad_run():
            end_all(error)

    def thread_hook(told: Any) -> None:
        in_threads(told)
        if told.exc_type is not SystemExit:
            end_all(told.exc_value)

    sys.excepthook, threading.excepthook = hook, thread_hook


def leave_together(board: NoticeBoard) -> None:
    """Make this rank tell the others when it is done, and wait for them."""
    atexit.register(_leave, board)


def end_all(error: BaseException | None, status: int = 1) -> None:
    """Print which rank failed, and end all ranks. Does nothing in a process that runs alone."""
    told = launched(MPI_RANKS)
    if told is None:
        return
    how = f"left with status {status}" if error is None else f"failed with {type(error).__name__}"
    print(f"rank {told[0]} of {told[1]} {how}, and ends the others", file=sys.stderr, flush=True)
    sys.stdout.flush()
    time.sleep(FORWARDING)
    if not mpi.is_running():
        mpi.join_to_abort(status, JOINING)
    mpi.abort(status)


def under_minigrad_run() -> None:
    """Note that the command line runs this process's program, and will call `end_all` itself."""
    os.environ["MINIGRAD_RUN_PROCESS"] = str(os.getpid())


def _under_minigrad_run() -> bool:
    """Whether the command line runs the program, and will call `end_all` itself."""
    return os.environ.get("MINIGRAD_RUN_PROCESS") == str(os.getpid())


def _leave(board: NoticeBoard) -> None:
    if mpi.is_running():
        board.farewell()
        mpi.end()
