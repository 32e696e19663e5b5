"""Python's multiprocessing, by the names of ``torch.multiprocessing``; tensors are pickled, and so copied.

`spawn` runs a function in several processes.
"""

from __future__ import annotations

import multiprocessing as _python
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

from .errors import MinigradError


class ProcessRaisedException(MinigradError, RuntimeError):
    """A process of `spawn` failed with an exception."""


def get_all_sharing_strategies() -> set[str]:
    """Return an empty set: memory is not shared."""
    return set()


def get_sharing_strategy() -> str:
    """The strategy set by `set_sharing_strategy`, which has no effect."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Store the strategy, without effect: tensors are copied to other processes."""
    _strategy[0] = new_strategy


_strategy = ["file_descriptor"]


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """Run ``fn(i, *args)`` in `nprocs` processes, and wait for them if `join`.

    ProcessRaisedException if one fails.
    """
    context: Any = _python.get_context(start_method)
    processes = [context.Process(target=fn, args=(i, *args), daemon=daemon) for i in range(nprocs)]
    for process in processes:
        process.start()
    if not join:
        return processes
    for process in processes:
        process.join()
    failed = [i for i, process in enumerate(processes) if process.exitcode]
    if failed:
        raise ProcessRaisedException(
            f"Process {failed[0]} terminated with exit code {processes[failed[0]].exitcode}: its error stands above"
        )
    return None
