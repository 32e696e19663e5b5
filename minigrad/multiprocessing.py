"""Python's multiprocessing under the name ``torch.multiprocessing``; tensors are pickled, and so copied.

`spawn` starts several processes of one function.
"""

from __future__ import annotations

import multiprocessing as _python
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

from .errors import MinigradError


class ProcessRaisedException(MinigradError, RuntimeError):
    """A process of `spawn` ended with an error."""


def get_all_sharing_strategies() -> set[str]:
    """None: memory is not shared."""
    return set()


def get_sharing_strategy() -> str:
    """The strategy set by `set_sharing_strategy`; it changes nothing."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Keep the wish: tensors are copied to other processes, whatever it is."""
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

    ProcessRaisedException where one fails.
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
