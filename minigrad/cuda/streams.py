"""Streams and events: the order of work on a GPU, and moments in it. There is one order, and none without a GPU."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..backend import device as Device
from ..backend import lookup
from ..errors import DeviceError


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has computed everything asked of it; without a GPU there is nothing to wait for."""
    from ..backend import cupy

    if cupy.device_count() > 0:
        where = "cuda" if device is None else Device("cuda", device) if isinstance(device, int) else device
        lookup(where).synchronize()


class Stream:
    """The order in which work is done on a GPU. There is one, and none without a GPU."""

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        self.device = None if device is None else Device(device)
        self.priority = priority

    def synchronize(self) -> None:
        """Wait until its work is done."""
        synchronize()

    def query(self) -> bool:
        """Whether its work is done."""
        synchronize()
        return True

    def wait_stream(self, stream: Any) -> None:
        """Do nothing: all work is done in order."""

    def wait_event(self, event: Any) -> None:
        """Do nothing: all work is done in order."""

    def record_event(self, event: Any = None) -> Event:
        """An event that is recorded now."""
        event = Event() if event is None else event
        event.record(self)
        return event


class Event:
    """A moment, for measuring time between two of them."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self.enable_timing = enable_timing
        self._at: float | None = None

    def record(self, stream: Any = None) -> None:
        """This is the moment: all work asked for is done."""
        synchronize()
        self._at = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this moment to that of `end_event`."""
        if self._at is None or end_event._at is None:
            raise DeviceError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1000

    def synchronize(self) -> None:
        """Nothing: a recorded moment is past."""

    def query(self) -> bool:
        """Whether the moment is past."""
        return True

    def wait(self, stream: Any = None) -> None:
        """Nothing: a recorded moment is past."""


def current_stream(device: Any = None) -> Stream:
    """The only stream there is."""
    return Stream(device)


default_stream = current_stream


@contextmanager
def stream(stream: Any) -> Iterator[None]:
    """Work inside is done in `stream`: there is one."""
    yield


StreamContext = stream
