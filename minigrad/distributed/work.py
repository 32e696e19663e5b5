"""`Work`: an exchange in progress, as returned with ``async_op=True``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from .. import events
from ..events import LISTENERS
from .group import told


class Work:
    """An exchange in progress, which can be waited for.

    >>> import minigrad as mg
    >>> mg.distributed.init_process_group()
    >>> x = mg.ones(2)
    >>> work = mg.distributed.all_reduce(x, async_op=True)
    >>> work.wait(), x
    (True, tensor([1., 1.]))
    >>> mg.distributed.destroy_process_group()
    """

    def __init__(
        self,
        done: Callable[[], bool],
        wait: Callable[[float | None], float],
        finish: Callable[[], Any],
        result: Sequence[Any] = (),
        event: Callable[[float, float], events.CollectiveRan] | None = None,
    ) -> None:
        self._done, self._wait, self._finish, self._result, self._event = done, wait, finish, list(result), event
        self._began = time.perf_counter()
        self._complete = False
        self._error: BaseException | None = None
        self.source = -1

    def is_completed(self) -> bool:
        """Whether the exchange is complete. Calling this also makes progress."""
        if not self._complete and self._error is None and self._done():
            self._complete_now(0.0)
        return self._complete

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until the exchange is complete, and return True.

        Raises DistributedError on a timeout, or if another rank left.
        """
        if self._error is not None:
            raise self._error
        if not self._complete:
            try:
                waited = self._wait(None if timeout is None else timeout.total_seconds())
                self._complete_now(waited)
            except BaseException as error:
                self._error = error
                raise
        return True

    synchronize = wait

    def is_success(self) -> bool:
        """Whether the exchange is complete, without an error."""
        return self._complete

    def exception(self) -> BaseException | None:
        """The error that `wait` raised, or None."""
        return self._error

    def result(self) -> list[Any]:
        """The tensors that received data. Waits for the exchange."""
        self.wait()
        return self._result

    def source_rank(self) -> int:
        """The rank that sent the received message."""
        return self.source

    def _complete_now(self, waited: float) -> None:
        self._finish()
        self._complete = True
        if LISTENERS and self._event is not None:
            told(self._event(time.perf_counter() - self._began, waited))


def ended(work: Work, async_op: bool) -> Work | None:
    """`work` itself if `async_op`; else wait for it, and return None."""
    if async_op:
        return work
    work.wait()
    return None
