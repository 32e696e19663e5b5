"""The name ``torch.distributed``: several processes are joined by MPI here, not by process groups.

Programs ask `is_available` before they use more; see `minigrad.examples.mpi.data_parallel` for training on several
processes.
"""

from __future__ import annotations

from typing import Any

from .errors import UnknownNameError

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Whether process groups can be used: never."""
    return False


def is_initialized() -> bool:
    """Whether a process group was made: never."""
    return False


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise UnknownNameError(
        f"minigrad.distributed has no {name!r}: there are no process groups. minigrad.examples.mpi.data_parallel shows "
        "training on several processes, with MPI."
    )
