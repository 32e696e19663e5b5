"""The loop of a `DataLoader` worker process: receive indices, send batches."""

from __future__ import annotations

import queue
import random
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from ...events import LISTENERS, RULES
from ...ops.random.distributions import manual_seed
from .fetching import Fetcher

DATA, ENDED, FAILED, STARTED = "data", "ended", "failed", "started"


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's `id`, the number of workers, the `seed` of its random numbers, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_here: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return information about this worker process; None in the main process.

    A stream can use it in its ``__iter__`` to yield only its part of the samples.

    >>> get_worker_info() is None
    True
    """
    return _here


class Failure:
    """An exception of a worker, to be sent to the main process."""

    def __init__(self, error: BaseException, worker: int) -> None:
        self.kind = type(error)
        where = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.message = (
            f"Caught {self.kind.__name__} in DataLoader worker process {worker}.\nOriginal Traceback (most recent "
            f"call last):\n{where.partition(chr(10))[2]}"
        )

    def again(self) -> BaseException:
        """Return the exception to raise: of the same class if that accepts a single message, else a RuntimeError."""
        if issubclass(self.kind, KeyError):
            return LookupOfKey(self.message)
        try:
            return self.kind(self.message)
        except Exception:
            return RuntimeError(self.message)


class LookupOfKey(KeyError):
    """A KeyError whose text is its message, without quotes."""

    __str__ = Exception.__str__


class Outbox:
    """Sends answers from a separate thread, so that the worker makes the next batch while the last one is sent."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, kind: str, content: Any, worker: int) -> None:
        """Send this answer, or, if it cannot be pickled, the error."""
        from multiprocessing.reduction import ForkingPickler

        try:
            self.waiting.put(bytes(ForkingPickler.dumps((kind, content))))
        except Exception as error:
            self.waiting.put(bytes(ForkingPickler.dumps((FAILED, Failure(error, worker)))))

    def _run(self) -> None:
        with suppress(OSError):  # the main process has closed the connection
            while True:
                self.connection.send_bytes(self.waiting.get())


def run(
    connection: Connection, info: WorkerInfo, make_fetcher: Callable[[], Fetcher], init: Callable[[int], Any] | None
) -> None:
    """Run a worker: answer each list of indices with a batch, until told to end."""
    global _here
    _here = info
    for listeners in (LISTENERS, RULES):  # listeners of the main process do not run here
        listeners.clear()
    _seed(info.seed, info.id)
    outbox, parent, fetcher = Outbox(connection), parent_process(), None
    try:
        if init is not None:
            init(info.id)
        fetcher = make_fetcher()
    except Exception as error:
        outbox.put(FAILED, Failure(error, info.id), info.id)
    alive: list[Any] = [connection] if parent is None else [connection, parent.sentinel]
    while connection in wait(alive):
        try:
            task = connection.recv()
        except EOFError:
            break
        if task is None:
            break
        if task == STARTED:  # another epoch
            fetcher = make_fetcher()
        elif fetcher is not None:
            _answer(outbox, fetcher, task[0], info.id)


def _answer(outbox: Outbox, fetcher: Fetcher, numbers: Any, worker: int) -> None:
    try:
        outbox.put(DATA, fetcher.fetch(numbers), worker)
    except StopIteration as error:
        if fetcher.stream is None:
            outbox.put(FAILED, Failure(error, worker), worker)
        else:
            outbox.put(ENDED, None, worker)
    except Exception as error:
        outbox.put(FAILED, Failure(error, worker), worker)


def _seed(seed: int, worker: int) -> None:
    """Seed Python's, the library's and NumPy's random numbers, differently for each worker."""
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(np.random.SeedSequence([seed & (2**64 - 1), worker]).generate_state(4))
