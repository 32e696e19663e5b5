"""The main process's side of a `DataLoader` with workers: it sends out indices and receives batches in order."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

from .fetching import Fetcher
from .worker import ENDED, FAILED, STARTED, WorkerInfo, run

GRACE = 1.0
"""The seconds that workers have to end by themselves."""


class WorkerError(RuntimeError):
    """The error for a worker that ended, or took longer than the loader's timeout."""


class Workers:
    """The worker processes, and their batches, in the loader's order unless ``in_order=False``."""

    def __init__(self, loader: Any, seed: int) -> None:
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self.timeout = loader.timeout or None
        self.ahead = loader.num_workers * loader.prefetch_factor
        self.in_order = loader.in_order
        self.connections: list[Connection] = []
        self.processes: list[Any] = []
        self._finalizer = weakref.finalize(self, _end, self.connections, self.processes, os.getpid())
        make = partial(Fetcher, loader.dataset, loader.batched, loader.collate_fn, loader.drop_last)
        for i in range(loader.num_workers):
            mine, theirs = context.Pipe()
            info = WorkerInfo(i, loader.num_workers, seed + i, loader.dataset)
            process = context.Process(target=run, args=(theirs, info, make, loader.worker_init_fn), daemon=True)
            with warnings.catch_warnings():  # the array library's threads can handle a fork
                warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
                process.start()
            theirs.close()
            self.connections.append(mine)
            self.processes.append(process)
        self.asked: deque[int] = deque()
        """The workers that owe a batch, in the order of the batches."""

    def begin(self, numbers: Iterator[Any], again: bool = False) -> None:
        """Begin an epoch. Unless it is the first, drop pending batches of the last one."""
        while self.asked:
            self._receive(self.asked.popleft())
        for connection in self.connections if again else ():
            connection.send(STARTED)
        self.numbers = numbers
        self.turn = deque(range(len(self.connections)))
        self._ask()

    def next_batch(self) -> Any:
        """Return the next batch. StopIteration at the end of the epoch; an exception of a worker is raised here."""
        while self.asked:
            worker = self._who_is_next()
            kind, content = self._receive(worker)
            if kind == ENDED and worker in self.turn:
                self.turn.remove(worker)
            self._ask()
            if kind == FAILED:
                raise content.again()
            if kind != ENDED:
                return content
        raise StopIteration

    def _ask(self) -> None:
        """Request batches until the maximal number is pending."""
        while self.turn and len(self.asked) < self.ahead:
            try:
                wanted = next(self.numbers)
            except StopIteration:
                return
            worker = self.turn[0]
            self.turn.rotate(-1)
            try:
                self.connections[worker].send((wanted,))
            except OSError:
                self._died(worker)
            self.asked.append(worker)

    def _who_is_next(self) -> int:
        if self.in_order:
            return self.asked.popleft()
        ready = wait([self.connections[each] for each in set(self.asked)], self.timeout)
        worker = next((each for each in self.asked if self.connections[each] in ready), self.asked[0])
        self.asked.remove(worker)
        return worker

    def _receive(self, worker: int) -> Any:
        connection, process = self.connections[worker], self.processes[worker]
        ready = wait([connection, process.sentinel], self.timeout)
        if not ready:
            self.close()
            raise WorkerError(f"DataLoader timed out after {self.timeout} seconds")
        try:
            if connection in ready or connection.poll():
                return connection.recv()
        except (EOFError, ConnectionResetError):
            pass
        return self._died(worker)

    def _died(self, worker: int) -> NoReturn:
        process = self.processes[worker]
        process.join()
        pid, code = process.pid, process.exitcode
        self.close()
        raise WorkerError(f"DataLoader worker (pid(s) {pid}) exited unexpectedly, with exit code {code}")

    def close(self) -> None:
        """End the worker processes."""
        self.asked.clear()
        self._finalizer()


def _end(connections: list[Connection], processes: list[Any], owner: int) -> None:
    """Tell every worker to end, wait for `GRACE` seconds, and stop those still running."""
    if os.getpid() != owner:  # in a forked copy: the workers belong to the parent
        return
    for connection in connections:
        with suppress(OSError, ValueError):
            connection.send(None)
    deadline = time.monotonic() + GRACE
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.exitcode is None:
            process.terminate()
            process.join()
    for connection in connections:
        connection.close()
