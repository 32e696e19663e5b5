"""The name ``torch.distributed``: several processes are joined by MPI here, not by process groups.

Programs ask `is_available` before they use more; see `minigrad.examples.mpi.data_parallel` for training on several
processes.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import MissingRuleError, UnknownNameError

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Whether process groups can be used: never."""
    return False


def is_initialized() -> bool:
    """Whether a process group was made: never."""
    return False


NAMES = (
    "Backend", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "barrier", "broadcast",
    "destroy_process_group", "gather", "get_backend", "get_rank", "get_world_size", "init_process_group", "irecv",
    "isend", "new_group", "recv", "reduce", "reduce_scatter", "scatter", "send",
)  # fmt: skip
"""What programs import before they ask whether it can be used. Each says so when it is called."""


class _Refused:
    """Stands for something of process groups; any use of it is an error that says what to do."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise MissingRuleError(
            f"minigrad.distributed.{self._name}: no process groups here: minigrad.examples.mpi.data_parallel shows "
            "training on several processes, with MPI."
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self()


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return _Refused(name)
    raise UnknownNameError(f"module 'minigrad.distributed' has no attribute {name!r}: there are no process groups")
